//! System headers: every one that `cc` accepts on its own must pass our front end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::campaign::{cc, in_parallel, output_within, scratch, unpick};

/// Headers of the C library and POSIX, and what Linux C programs include besides.
const HEADERS: &str = "\
aio.h alloca.h ar.h argp.h argz.h arpa/ftp.h arpa/inet.h arpa/nameser.h arpa/telnet.h arpa/tftp.h assert.h \
byteswap.h complex.h cpio.h crypt.h ctype.h dirent.h dlfcn.h elf.h endian.h envz.h err.h errno.h error.h execinfo.h \
fcntl.h features.h fenv.h fmtmsg.h fnmatch.h fstab.h fts.h ftw.h gconv.h getopt.h glob.h gnu-versions.h grp.h \
gshadow.h iconv.h ifaddrs.h inttypes.h iso646.h langinfo.h lastlog.h libgen.h libintl.h limits.h link.h linux/types.h \
locale.h malloc.h math.h mcheck.h memory.h mntent.h monetary.h mqueue.h net/ethernet.h net/if.h net/if_arp.h \
net/route.h netdb.h netinet/ether.h netinet/icmp6.h netinet/if_ether.h netinet/igmp.h netinet/in.h \
netinet/in_systm.h netinet/ip.h netinet/ip6.h netinet/ip_icmp.h netinet/tcp.h netinet/udp.h nl_types.h nss.h \
obstack.h paths.h poll.h printf.h proc_service.h pthread.h pty.h pwd.h re_comp.h regex.h regexp.h resolv.h sched.h \
search.h semaphore.h setjmp.h sgtty.h shadow.h signal.h spawn.h stab.h stdalign.h stdarg.h stdatomic.h stdbool.h \
stddef.h stdint.h stdio.h stdio_ext.h stdlib.h stdnoreturn.h string.h strings.h stropts.h sys/acct.h sys/auxv.h \
sys/bitypes.h sys/cdefs.h sys/dir.h sys/epoll.h sys/errno.h sys/eventfd.h sys/fanotify.h sys/fcntl.h sys/file.h \
sys/fsuid.h sys/gmon.h sys/inotify.h sys/io.h sys/ioctl.h sys/ipc.h sys/kd.h sys/klog.h sys/mman.h sys/mount.h \
sys/msg.h sys/mtio.h sys/param.h sys/personality.h sys/platform/x86.h sys/poll.h sys/prctl.h sys/procfs.h \
sys/profil.h sys/ptrace.h sys/queue.h sys/quota.h sys/random.h sys/reboot.h sys/reg.h sys/resource.h sys/rseq.h \
sys/select.h sys/sem.h sys/sendfile.h sys/shm.h sys/signal.h sys/signalfd.h sys/single_threaded.h sys/socket.h \
sys/soundcard.h sys/stat.h sys/statfs.h sys/statvfs.h sys/stropts.h sys/swap.h sys/syscall.h sys/sysinfo.h \
sys/syslog.h sys/sysmacros.h sys/termios.h sys/time.h sys/timeb.h sys/timerfd.h sys/times.h sys/timex.h sys/ttydefaults.h \
sys/types.h sys/ucontext.h sys/uio.h sys/un.h sys/unistd.h sys/user.h sys/utsname.h sys/vfs.h sys/vlimit.h sys/wait.h \
sys/xattr.h syscall.h sysexits.h syslog.h tar.h termio.h termios.h tgmath.h thread_db.h threads.h time.h ttyent.h \
uchar.h ucontext.h ulimit.h unistd.h utime.h utmp.h utmpx.h values.h wait.h wchar.h wctype.h wordexp.h \
immintrin.h emmintrin.h cpuid.h float.h x86intrin.h";

pub fn run() -> Result<()> {
    let folder = scratch("headers")?;
    let binary = unpick()?;
    let start = Instant::now();
    // With and without GNU extensions: the macros select different declarations.
    let cases: Vec<(&str, &str)> =
        HEADERS.split_whitespace().flat_map(|header| [(header, ""), (header, "#define _GNU_SOURCE 1\n")]).collect();
    let results = in_parallel(&cases, |(header, before)| check(&folder, &binary, header, before));
    let (mut n_units, mut failures) = (0, Vec::new());
    for ((header, before), result) in cases.iter().zip(results) {
        match result? {
            None => {}
            Some(complaint) => {
                n_units += 1;
                if !complaint.is_empty() {
                    failures.push(format!("{header} {}: {complaint}", before.trim()));
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder)?;
    println!("headers: {n_units} units, {} failures, {:.1} s", failures.len(), start.elapsed().as_secs_f64());
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("\n")) }
}

/// `None` if cc rejects the header, else our complaint (empty if there is none).
fn check(folder: &Path, binary: &Path, header: &str, before: &str) -> Result<Option<String>> {
    let name = format!("{}{}.c", if before.is_empty() { "" } else { "gnu_" }, header.replace(['/', '.'], "_"));
    let file: PathBuf = folder.join(name);
    std::fs::write(&file, format!("{before}#include <{header}>\n"))?;
    let limit = Duration::from_secs(60);
    let accepted = output_within(cc().args(["-fsyntax-only", "-w"]).arg(&file), limit)?;
    if !accepted.is_some_and(|output| output.status.success()) {
        return Ok(None);
    }
    let output = output_within(Command::new(binary).args(["check", "--syntax-only", "--strict"]).arg(&file), limit)?;
    Ok(Some(match output {
        Some(output) if output.status.success() => String::new(),
        Some(output) => String::from_utf8_lossy(&output.stderr).lines().take(4).collect::<Vec<_>>().join("\n  "),
        None => "too slow".into(),
    }))
}
