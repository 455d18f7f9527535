//! Floats in SMT-LIB's theory FloatingPoint.

use super::NotSmtLib;
use crate::arena::Terms;
use crate::bits::BitVec;
use crate::float::{FpFormat, FpOp};
use crate::node::{Node, Term};

impl Terms {
    pub(super) fn smt_float(&self, operation: FpOp, node: &Node) -> Result<String, NotSmtLib> {
        let format = operation.format();
        let args = node.args();
        let float = |position: usize| to_float(format, &self.smt_word(args[position]));
        let mode = || self.smt_rounding(args[0]);
        let rounded = |name: &str| -> Result<String, NotSmtLib> {
            let operands: Vec<String> = (1..args.len()).map(float).collect::<Result<_, _>>()?;
            self.float_bits(format, &format!("({name} {} {})", mode(), operands.join(" ")), &args[1..])
        };
        let predicate = |name: &str| -> Result<String, NotSmtLib> {
            let operands: Vec<String> = (0..args.len()).map(float).collect::<Result<_, _>>()?;
            Ok(format!("({name} {})", operands.join(" ")))
        };
        match operation {
            FpOp::Add(_) => rounded("fp.add"),
            FpOp::Mul(_) => rounded("fp.mul"),
            FpOp::Div(_) => rounded("fp.div"),
            FpOp::Fma(_) => rounded("fp.fma"),
            FpOp::Sqrt(_) => rounded("fp.sqrt"),
            FpOp::RoundToIntegral(_) => rounded("fp.roundToIntegral"),
            FpOp::Eq(_) => predicate("fp.eq"),
            FpOp::Lt(_) => predicate("fp.lt"),
            FpOp::Le(_) => predicate("fp.leq"),
            FpOp::IsNan(_) => predicate("fp.isNaN"),
            FpOp::IsInfinite(_) => predicate("fp.isInfinite"),
            FpOp::IsZero(_) => predicate("fp.isZero"),
            FpOp::IsSubnormal(_) => predicate("fp.isSubnormal"),
            FpOp::FromUnsigned(_) | FpOp::FromSigned(_) => {
                let conversion = if matches!(operation, FpOp::FromUnsigned(_)) { "to_fp_unsigned" } else { "to_fp" };
                let (exponent, precision) = sizes(format)?;
                let value = self.smt_word(args[1]);
                let result = format!("((_ {conversion} {exponent} {precision}) {} {value})", mode());
                self.float_bits(format, &result, &[])
            }
            FpOp::Fmod(_) => Err(NotSmtLib::FloatOperation("fmod")),
            FpOp::Remainder(_) => Err(NotSmtLib::FloatOperation("remainder")),
            FpOp::Convert { .. } => Err(NotSmtLib::FloatOperation("convert")),
            FpOp::ToUnsigned(_) | FpOp::ToSigned(_) => Err(NotSmtLib::FloatOperation("conversion to an integer")),
            FpOp::FitsUnsigned { .. } | FpOp::FitsSigned { .. } => Err(NotSmtLib::FloatOperation("fits")),
        }
    }

    fn smt_rounding(&self, mode: Term) -> String {
        let mode = self.smt_reference(mode);
        format!(
            "(ite (= {mode} #b001) RTN (ite (= {mode} #b010) RTP (ite (= {mode} #b011) RTZ (ite (= {mode} #b100) RNA RNE))))"
        )
    }

    /// The bits of a float: of a NaN the first operand that is one, made quiet, else the default NaN.
    fn float_bits(&self, format: FpFormat, float: &str, operands: &[Term]) -> Result<String, NotSmtLib> {
        let constant = |bits: u128| super::smt_constant(&BitVec::new(format.width(), bits));
        let quiet = constant(crate::softfloat::quiet_bits(format));
        let mut nan = constant(crate::softfloat::default_nan(format));
        for &operand in operands.iter().rev() {
            let bits = self.smt_word(operand);
            nan = format!("(ite (fp.isNaN {}) (bvor {bits} {quiet}) {nan})", to_float(format, &bits)?);
        }
        Ok(format!("(ite (fp.isNaN {float}) {nan} (fp.to_ieee_bv {float}))"))
    }
}

fn sizes(format: FpFormat) -> Result<(u8, u8), NotSmtLib> {
    if format.is_leading_stored { Err(NotSmtLib::StoredLeadingBit) } else { Ok((format.exponent, format.precision)) }
}

fn to_float(format: FpFormat, bits: &str) -> Result<String, NotSmtLib> {
    let (exponent, precision) = sizes(format)?;
    Ok(format!("((_ to_fp {exponent} {precision}) {bits})"))
}
