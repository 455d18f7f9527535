"use strict";
// Everything from the checked program enters the page through textContent, so none of it is ever markup.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const colour = (thread) => `var(--t${thread % 8})`;

// Light and dark: the system's choice until the button is pressed.
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let theme = null;
const dress = () => { document.documentElement.dataset.theme = theme || (prefersDark.matches ? "dark" : "light"); };
const turn = () => { theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; dress(); };
prefersDark.addEventListener("change", dress);
by("theme").addEventListener("click", turn);
dress();

// Source panes.
const keywords = new Set(("auto break case char const continue default do double else enum extern float for goto if inline int long " +
  "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Atomic _Bool " +
  "active atomic bit bool byte chan d_step else fi init inline ltl mtype never od of pid printf proctype run skip timeout " +
  "unless").split(" "));
const token = /(\/\*[^]*?(?:\*\/|$))|(\/\/.*$)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)|(.)/g;
const highlight = (parent, text, isInside) => {
  let rest = text;
  if (isInside) {
    const end = rest.indexOf("*/");
    parent.append(make("span", "c", end < 0 ? rest : rest.slice(0, end + 2)));
    if (end < 0) return true;
    rest = rest.slice(end + 2);
  }
  if (/^\s*#/.test(rest)) {
    parent.append(make("span", "d", rest));
    return false;
  }
  let plain = "";
  const flush = () => { if (plain) parent.append(plain); plain = ""; };
  let open = false;
  for (const match of rest.matchAll(token)) {
    const [all, block, line, string, number, word] = match;
    const kind = block || line ? "c" : string ? "s" : number ? "n" : word && keywords.has(word) ? "k" : "";
    if (kind) { flush(); parent.append(make("span", kind, all)); } else plain += all;
    open = Boolean(block) && !block.endsWith("*/");
  }
  flush();
  return open;
};
const panes = data.files.map((file, number) => {
  const pane = make("div");
  const lines = new Map();
  const reached = new Set(file.reached), missed = new Set(file.missed);
  let last = 0, isInside = false;
  file.lines.forEach(([first, texts]) => {
    if (first > last + 1) pane.append(make("div", "gap", "\u22ef"));
    texts.forEach((text, offset) => {
      const no = first + offset;
      const line = make("div", "source-line");
      const heads = make("span", "heads");
      const body = make("span", "text");
      isInside = highlight(body, text, isInside);
      line.append(heads, make("span", "no", String(no)), body);
      if (reached.has(no)) line.classList.add("reached");
      if (missed.has(no)) { line.classList.add("missed"); line.title = "never reached"; }
      if (data.wrong.some(([f, l]) => f === number && l === no)) line.classList.add("fails");
      line.dataset.line = no;
      pane.append(line);
      lines.set(no, { line, heads });
      last = no;
    });
  });
  return { pane, lines };
});
let shownFile = -1;
const tabs = by("tabs"), code = by("code");
const showFile = (number) => {
  if (!code || number === shownFile || !panes[number]) return;
  shownFile = number;
  code.replaceChildren(panes[number].pane);
  [...tabs.children].forEach((tab, at) => tab.setAttribute("aria-selected", String(at === number)));
};
if (tabs) {
  data.files.forEach((file, number) => {
    const tab = make("button", "tab", file.name);
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => showFile(number));
    tabs.append(tab);
  });
  showFile(data.wrong.length ? data.wrong[0][0] : 0);
}
const steps = data.steps;
if (!steps.length) return;

// What is known of each variable: when it changed, to what.
const isHandler = (thread) => data.handlers.includes(thread);
const short = (thread) => isHandler(thread) ? `interrupt ${data.names[thread]}` : `${data.noun} ${thread}`;
const long = (thread) => data.names[thread] && !isHandler(thread) ? `${short(thread)} (${data.names[thread]})` : short(thread);
const text = (step) => step.x !== undefined ? step.x : (lineText(step.f, step.l) || "").trim();
const lineText = (file, line) => {
  for (const [first, texts] of data.files[file] ? data.files[file].lines : []) {
    if (line >= first && line < first + texts.length) return texts[line - first];
  }
  return "";
};
const variables = new Map();
steps.forEach((step, at) => (step.ch || []).forEach(([name, before, after, scope]) => {
  const key = (scope ? scope.join("\u0000") : "") + "\u0001" + name;
  if (!variables.has(key)) variables.set(key, { name, scope, before, changes: [] });
  variables.get(key).changes.push([at, before, after]);
}));
data.constants.forEach(([name, value]) => variables.set("\u0001" + name, { name, before: value, changes: [] }));
const valueAt = (variable, at) => {
  let low = 0, high = variable.changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (variable.changes[middle][0] <= at) low = middle + 1; else high = middle;
  }
  return low ? variable.changes[low - 1][2] : variable.before;
};

// Watch expressions: C operators over the values that are known.
const evaluate = (source, at, thread) => {
  const words = source.match(/\d+|'(?:[^'\\]|\\.)'|[A-Za-z_][\w]*(?:(?:->|\.)[A-Za-z_]\w*|\[[^\]]*\])*|&&|\|\||<<|>>|[<>=!]=|[-+*\/%<>!~&|^()?:]/g) || [];
  if (words.join("") !== source.replace(/\s+/g, "")) throw new Error("not understood");
  let next = 0;
  const levels = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];
  const lookUp = (name) => {
    const mine = [...variables.values()].filter((variable) => variable.name === name);
    const local = mine.filter((variable) => variable.scope && variable.scope[0] === thread);
    const found = local.length ? local[local.length - 1] : mine.find((variable) => !variable.scope) || mine[0];
    if (!found) throw new Error(`nothing is known of ${name}`);
    return number(valueAt(found, at), name);
  };
  const number = (value, name) => {
    if (/^-?\d+$/.test(value)) return BigInt(value);
    if (value === "NULL" || value === "false") return 0n;
    if (value === "true") return 1n;
    const character = /^(-?\d+) '/.exec(value);
    if (character) return BigInt(character[1]);
    if (/^'.'$/.test(value)) return BigInt(value.codePointAt(1));
    throw new Error(`${name} is ${value}`);
  };
  const truth = (value) => value ? 1n : 0n;
  const apply = (operator, a, b) => {
    switch (operator) {
      case "+": return a + b; case "-": return a - b; case "*": return a * b;
      case "/": if (!b) throw new Error("division by zero"); return a / b;
      case "%": if (!b) throw new Error("division by zero"); return a % b;
      case "<<": if (b < 0n || b > 127n) throw new Error("shift out of range"); return a << b;
      case ">>": if (b < 0n || b > 127n) throw new Error("shift out of range"); return a >> b;
      case "<": return truth(a < b); case "<=": return truth(a <= b); case ">": return truth(a > b); case ">=": return truth(a >= b);
      case "==": return truth(a === b); case "!=": return truth(a !== b);
      case "&": return a & b; case "|": return a | b; case "^": return a ^ b;
      case "&&": return truth(a && b); default: return truth(a || b);
    }
  };
  const primary = () => {
    const word = words[next++];
    if (word === undefined) throw new Error("it ends too early");
    if (word === "(") { const value = choice(); if (words[next++] !== ")") throw new Error("a ) is missing"); return value; }
    if (word === "!") return truth(!primary());
    if (word === "-") return -primary();
    if (word === "+") return primary();
    if (word === "~") return ~primary();
    if (word === "*") return lookUp("*" + words[next++]);
    if (/^\d/.test(word)) return BigInt(word);
    if (word[0] === "'") return BigInt(word.codePointAt(1));
    if (/^[A-Za-z_]/.test(word)) return lookUp(word);
    throw new Error(`${word} is not understood`);
  };
  const binary = (level) => {
    if (level === levels.length) return primary();
    let value = binary(level + 1);
    while (levels[level].includes(words[next])) value = apply(words[next++], value, binary(level + 1));
    return value;
  };
  const choice = () => {
    const value = binary(0);
    if (words[next] !== "?") return value;
    next++;
    const yes = choice();
    if (words[next++] !== ":") throw new Error("a : is missing");
    const no = choice();
    return value ? yes : no;
  };
  const value = choice();
  if (next !== words.length) throw new Error(`${words[next]} is too much`);
  return value;
};

// Where threads are and who called whom.
const stacksAt = (at) => {
  const stacks = new Map();
  for (let number = 0; number <= at; number++) {
    const step = steps[number];
    if (!stacks.has(step.t)) stacks.set(step.t, []);
    const stack = stacks.get(step.t);
    stack.length = Math.min(stack.length, Math.max(step.d, 1));
    stack[Math.max(step.d, 1) - 1] = step;
  }
  return stacks;
};

// The timeline: only the rows in sight are in the page.
const threads = [...new Set(steps.map((step) => step.t))].sort((a, b) => a - b);
const lane = new Map(threads.map((thread, at) => [thread, at]));
const laneWidth = threads.length > 12 ? 10 : 18;
const left = 52, indent = left + threads.length * laneWidth + 6;
const laneX = (thread) => left + lane.get(thread) * laneWidth + laneWidth / 2;
const events = steps.map((step) => {
  const told = [];
  (step.rd || []).forEach(([name, value]) => told.push(`read ${name}: ${value}`));
  (step.cho || []).forEach(([label, value]) => told.push(`${label} chose ${value}`));
  (step.ch || []).forEach(([name, before, after]) => told.push(before === "indeterminate" ? `${name} = ${after}` : `${name}: ${before} \u2192 ${after}`));
  if (step.out) told.push(`output ${JSON.stringify(step.out)}`);
  if (step.rem) told.push(step.rem);
  return told;
});
const words = steps.map((step, at) => `${step.fn} ${data.files[step.f] ? data.files[step.f].name : ""}:${step.l} ${text(step)} ${events[at].join(" ")}`.toLowerCase());
const hidden = new Set();
// Steps that do not bear on the failure are shown when asked for.
const isSliced = steps.some((step) => step.ir);
let onlyRelevant = isSliced, onlyEventful = false, filter = "", visible = [], tops = [], height = 0, current = 0;
const rowHeight = (at) => events[at].length ? 44 : 26;
const select = () => {
  visible = []; tops = []; height = 4;
  steps.forEach((step, at) => {
    const isShown = !hidden.has(step.t) && !(onlyRelevant && step.ir) && (!onlyEventful || events[at].length || at === steps.length - 1) && words[at].includes(filter);
    if (!isShown) return;
    visible.push(at); tops.push(height); height += rowHeight(at);
  });
  by("rows").style.height = `${height + 30}px`;
};
const svgNode = (tag, attributes) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const name in attributes) node.setAttribute(name, attributes[name]);
  return node;
};
const stroke = (node, thread, width) => { node.style.stroke = thread === null ? "var(--bad)" : colour(thread); node.style.strokeWidth = width; node.style.fill = "none"; return node; };
const firstAbove = (y) => {
  let low = 0, high = tops.length;
  while (low < high) { const middle = (low + high) >> 1; if (tops[middle] < y) low = middle + 1; else high = middle; }
  return low;
};
const rowOf = (at) => { const found = firstAtLeast(at); return visible[found] === at ? found : -1; };
const firstAtLeast = (at) => {
  let low = 0, high = visible.length;
  while (low < high) { const middle = (low + high) >> 1; if (visible[middle] < at) low = middle + 1; else high = middle; }
  return low;
};
// Messages: where each was sent, so that an arrow can be drawn where it arrives.
const sentAt = new Map();
steps.forEach((step, at) => (step.snd || []).forEach(([id]) => sentAt.set(id, at)));
const dotY = (row) => tops[row] + 12;
const draw = () => {
  const scroller = by("scroller"), rows = by("rows");
  const from = Math.max(0, firstAbove(scroller.scrollTop) - 8);
  const to = Math.min(visible.length, firstAbove(scroller.scrollTop + scroller.clientHeight) + 8);
  const svg = svgNode("svg", { width: indent, height: height + 30 });
  const alive = new Map();
  visible.forEach((at, row) => { const t = steps[at].t; if (!alive.has(t)) alive.set(t, [row, row]); alive.get(t)[1] = row; });
  alive.forEach(([first, last], thread) => {
    const x = laneX(thread);
    const line = stroke(svgNode("line", { x1: x, x2: x, y1: dotY(first), y2: dotY(last) }), thread, 2);
    line.style.opacity = ".28";
    svg.append(line);
  });
  const content = [];
  for (let row = from; row < to; row++) {
    const at = visible[row], step = steps[at];
    const x = laneX(step.t), y = dotY(row);
    const before = row > 0 ? steps[visible[row - 1]] : null;
    if (before && before.t !== step.t) {
      const x0 = laneX(before.t), y0 = dotY(row - 1);
      const path = stroke(svgNode("path", { d: `M${x0} ${y0} C${x0} ${(y0 + y) / 2 + 6} ${x} ${(y0 + y) / 2 - 6} ${x} ${y}` }), step.sw === 2 ? null : step.t, 2);
      if (step.sw !== 2) path.style.strokeDasharray = "1 4";
      path.style.strokeLinecap = "round";
      svg.append(path);
    } else if (before) {
      svg.append(stroke(svgNode("line", { x1: x, x2: x, y1: dotY(row - 1), y2: y }), step.t, 3));
    }
    (step.rcv || []).forEach(([id]) => {
      const origin = sentAt.has(id) ? rowOf(sentAt.get(id)) : -1;
      if (origin < 0 || steps[visible[origin]].t === step.t) return;
      const x0 = laneX(steps[visible[origin]].t), y0 = dotY(origin), side = x > x0 ? -7 : 7;
      const arrow = stroke(svgNode("path", { d: `M${x0} ${y0} L${x + side} ${y} M${x + side * 1.9} ${y - 5} L${x + side} ${y} L${x + side * 1.9} ${y + 4}` }), steps[visible[origin]].t, 1.4);
      arrow.setAttribute("class", "message");
      arrow.dataset.message = id;
      svg.append(arrow);
    });
    const dot = svgNode("circle", { cx: x, cy: y, r: at === current ? 6 : 4 });
    dot.style.fill = step.wa || step.pe ? "var(--pane)" : colour(step.t);
    dot.style.stroke = colour(step.t); dot.style.strokeWidth = 2;
    svg.append(dot);
    const item = make("div", "row");
    item.style.top = `${tops[row]}px`; item.style.height = `${rowHeight(at)}px`; item.style.paddingLeft = `${indent}px`;
    item.dataset.step = at + 1;
    if (at === current) { item.classList.add("now"); item.setAttribute("aria-current", "step"); }
    if (at === steps.length - 1 && data.wrong.length) item.classList.add("wrong");
    const what = make("span", "what");
    what.append(make("span", "place", String(step.l || "")));
    if (step.co) what.append(make("span", "dots", "\u2026 "));
    what.append("\u00a0\u00a0".repeat(Math.min(Math.max(step.d - 1, 0), 10)) + text(step));
    item.append(make("span", "number", String(at + 1)), what);
    if (events[at].length) {
      const line = make("span", "events");
      events[at].forEach((event, number) => {
        const isAlarm = step.rem && number === events[at].length - 1 && (step.wa || step.pe);
        if (number) line.append(" \u00b7 ");
        line.append(make("span", isAlarm ? "alarm" : "", event));
      });
      item.append(line);
    }
    item.title = `${short(step.t)}, ${step.fn}()${step.sw === 2 ? ": preemption, the one before could have gone on" : step.sw === 1 ? ": the one before had to wait or has ended" : ""}`;
    content.push(item);
  }
  if (data.loop !== null) {
    const first = firstAtLeast(data.loop), last = visible.length - 1;
    if (first <= last) {
      const y0 = dotY(first), y1 = dotY(last);
      const back = stroke(svgNode("path", { d: `M${left - 2} ${y1} L46 ${y1} L46 ${y0} L${left - 2} ${y0} M${left - 7} ${y0 - 4} L${left - 2} ${y0} L${left - 7} ${y0 + 4}` }), null, 1.8);
      svg.append(back);
    }
  }
  rows.replaceChildren(...content, svg);
};

// The state at the current step.
const button = (label, at) => { const item = make("button", "", label); item.type = "button"; item.addEventListener("click", () => go(at)); return item; };
const opened = new Set();
const watches = [];
let wanted = "";
const fact = (list, label, className) => list.append(make("li", className || "", label));
const showStep = () => {
  const step = steps[current], list = make("ul", "facts");
  const place = `${data.files[step.f] ? data.files[step.f].name : ""}:${step.l}`;
  const head = make("li");
  const name = make("b", "", long(step.t));
  name.style.color = colour(step.t);
  head.append(name, ` in ${step.fn}(), `, make("code", "", place));
  list.append(head);
  if (step.sw === 1) fact(list, "switch: the one before had to wait or has ended");
  if (step.sw === 2) fact(list, "preemption: the one before could have gone on", "alarm");
  if (step.co) fact(list, "goes on with a line that was begun before");
  if (step.calls) fact(list, `calls ${step.calls.map((name) => name + "()").join(", ")}`);
  if (step.fold) fact(list, `library: ${step.fold.map((name) => name + "()").join(", ")}`);
  (step.rd || []).forEach(([name, value]) => fact(list, `had read ${name}: ${value}`));
  (step.cho || []).forEach(([label, value]) => fact(list, `${label} chose ${value}`));
  (step.snd || []).filter(([, channel]) => channel !== "start").forEach(([, channel, value]) => fact(list, `sends ${value} to ${channel}`));
  (step.rcv || []).filter(([, channel]) => channel !== "start").forEach(([, channel, value]) => fact(list, `receives ${value} from ${channel}`));
  if (step.out) fact(list, `writes ${JSON.stringify(step.out)}`);
  if (step.rem) fact(list, step.rem);
  const table = make("table", "values");
  table.id = "changes";
  (step.ch || []).forEach(([variable, before, after]) => {
    const row = make("tr", "fresh"), value = make("td");
    value.append(make("span", "old", before), " ", make("span", "new", after));
    row.append(make("td", "", variable), value);
    table.append(row);
  });
  if (current === steps.length - 1) {
    fact(list, data.loop === null ? data.message : `${data.message}; from here it goes on with step ${data.loop + 1}, for ever`, "waits");
  }
  by("step").replaceChildren(list, table);
};
const showStacks = () => {
  const boxes = [];
  const stacks = stacksAt(current);
  threads.filter((thread) => stacks.has(thread)).forEach((thread) => {
    const box = make("div", "stack"), title = make("b", "", long(thread));
    box.style.borderLeftColor = colour(thread);
    title.style.color = colour(thread);
    box.append(title);
    const stack = stacks.get(thread).filter(Boolean);
    stack.slice().reverse().slice(0, 12).forEach((frame) => box.append(make("span", "frame", `${frame.fn}() ${data.files[frame.f] ? data.files[frame.f].name : ""}:${frame.l}`)));
    const top = stack[stack.length - 1];
    if (top && top.wa) box.append(make("span", "waits", top.rem));
    boxes.push(box);
  });
  by("stacks").replaceChildren(...boxes);
};
const showWatches = () => {
  const rows = watches.map((expression, number) => {
    const row = make("tr"), value = make("td");
    const remove = make("button", "", "\u00d7");
    remove.type = "button"; remove.title = "Remove";
    remove.addEventListener("click", () => { watches.splice(number, 1); showWatches(); });
    try { value.append(make("span", "new", String(evaluate(expression, current, steps[current].t))), " "); }
    catch (error) { value.append(make("span", "old", error.message), " "); }
    value.append(remove);
    row.append(make("td", "", expression), value);
    return row;
  });
  by("watches").replaceChildren(...rows);
};
const shared = "shared memory";
// Steps in which a thread is no longer in the function that a local variable belongs to.
const leaveTimes = new Map();
const leftAt = (scope) => {
  const key = scope.join("\u0000"), [thread, name, depth] = scope;
  if (!leaveTimes.has(key)) {
    const isLeft = (step) => step.t === thread && (step.d < depth || (step.d === depth && step.fn !== name));
    leaveTimes.set(key, steps.flatMap((step, at) => isLeft(step) ? [at] : []));
  }
  return leaveTimes.get(key);
};
// The number of entries of a sorted list that are not later than a step.
const countUpTo = (list, at) => {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= at) low = middle + 1; else high = middle;
  }
  return low;
};
// Whether the function has been left since the variable last changed.
const isStale = (variable) => {
  if (!variable.scope) return false;
  const times = variable.changes.map(([at]) => at), n = countUpTo(times, current);
  const leaves = leftAt(variable.scope);
  return n > 0 && countUpTo(leaves, current) > countUpTo(leaves, times[n - 1]);
};
const showVariables = () => {
  const groups = new Map();
  variables.forEach((variable, key) => {
    const first = variable.changes.length ? variable.changes[0][0] : -1;
    const isKnown = first <= current || (!variable.scope && variable.before !== "indeterminate");
    if (!isKnown || isStale(variable) || !variable.name.toLowerCase().includes(wanted)) return;
    const group = variable.scope ? `${short(variable.scope[0])} \u00b7 ${variable.scope[1]}()${variable.scope[2] > 1 ? ` at depth ${variable.scope[2]}` : ""}` : shared;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push([key, variable]);
  });
  const content = [];
  [...groups.keys()].sort((a, b) => (b === shared) - (a === shared) || a.localeCompare(b, "en", { numeric: true })).forEach((group) => {
    content.push(make("div", "scope", group));
    const table = make("table", "values");
    groups.get(group).slice(0, 400).forEach(([key, variable]) => {
      const isFresh = variable.changes.some(([at]) => at === current);
      const row = make("tr", isFresh ? "fresh" : ""), name = make("td", "name", variable.name), value = make("td", "", valueAt(variable, current));
      row.dataset.variable = variable.name;
      name.title = "Show all its values";
      name.addEventListener("click", () => { if (opened.has(key)) opened.delete(key); else opened.add(key); showVariables(); });
      if (opened.has(key)) {
        const list = make("ul", "history");
        const start = make("li", !variable.changes.length || variable.changes[0][0] > current ? "past" : "");
        start.append("at first ", make("code", "", variable.before));
        list.append(start);
        variable.changes.slice(0, 500).forEach(([at, , after], number) => {
          const isPast = at <= current && !(variable.changes[number + 1] && variable.changes[number + 1][0] <= current);
          const item = make("li", isPast ? "past" : at > current ? "future" : "");
          item.append(button(`step ${at + 1}`, at), make("code", "", after));
          list.append(item);
        });
        value.append(list);
      }
      row.append(name, value);
      table.append(row);
    });
    content.push(table);
  });
  if (!content.length) content.push(make("p", "quiet", "None is known yet."));
  by("variables").replaceChildren(...content);
};
let marked = [];
const showSource = () => {
  marked.forEach(([line, heads]) => { line.classList.remove("now"); heads.replaceChildren(); });
  marked = [];
  const step = steps[current];
  showFile(step.f);
  const stacks = stacksAt(current);
  threads.filter((thread) => stacks.has(thread)).forEach((thread) => {
    const stack = stacks.get(thread), top = stack[stack.length - 1];
    const place = top && panes[top.f] && panes[top.f].lines.get(top.l);
    if (!place) return;
    const head = make("span", thread === step.t ? "head" : "head idle", String(thread));
    head.style.background = colour(thread);
    head.title = `${long(thread)} is here`;
    place.heads.append(head);
    marked.push([place.line, place.heads]);
  });
  const here = panes[step.f] && panes[step.f].lines.get(step.l);
  if (!here) return;
  here.line.classList.add("now");
  marked.push([here.line, here.heads]);
  const y = here.line.offsetTop, view = code.clientHeight;
  if (y < code.scrollTop + 40 || y > code.scrollTop + view - 60) code.scrollTop = Math.max(0, y - view / 2);
};
const go = (at, isQuiet) => {
  current = Math.min(Math.max(at, 0), steps.length - 1);
  // Who goes to a step wants to see it.
  if (onlyRelevant && steps[current] && steps[current].ir) { onlyRelevant = false; by("all").checked = true; select(); }
  by("where").textContent = `step ${current + 1} of ${steps.length}`;
  by("slider").value = String(current + 1);
  const row = rowOf(current), scroller = by("scroller");
  if (row >= 0 && (tops[row] < scroller.scrollTop + 20 || tops[row] + 60 > scroller.scrollTop + scroller.clientHeight)) {
    scroller.scrollTop = Math.max(0, tops[row] - scroller.clientHeight / 2);
  }
  draw(); showStep(); showStacks(); showWatches(); showVariables(); showSource();
  if (!isQuiet) history.replaceState(null, "", `#step-${current + 1}`);
};
const move = (by) => {
  const place = firstAtLeast(current);
  const row = visible[place] === current ? place + by : by > 0 ? place : place - 1;
  if (row >= 0 && row < visible.length) go(visible[row]);
};
const find = (direction, isWanted) => {
  for (let at = current + direction; at >= 0 && at < steps.length; at += direction) if (!(onlyRelevant && steps[at].ir) && isWanted(steps[at], at)) return go(at);
};
const refresh = () => { select(); go(current, true); };

// Controls.
by("slider").max = String(steps.length);
by("slider").addEventListener("input", (event) => go(Number(event.target.value) - 1));
by("first").addEventListener("click", () => visible.length && go(visible[0]));
by("last").addEventListener("click", () => visible.length && go(visible[visible.length - 1]));
by("back").addEventListener("click", () => move(-1));
by("next").addEventListener("click", () => move(1));
by("all-check").hidden = !isSliced;
const showAll = (isWanted) => {
  onlyRelevant = !isWanted; by("all").checked = isWanted; select();
  const near = visible.length ? visible[Math.min(firstAtLeast(current), visible.length - 1)] : current;
  go(near, true);
};
by("all").addEventListener("change", (event) => showAll(event.target.checked));
by("eventful").addEventListener("change", (event) => { onlyEventful = event.target.checked; refresh(); });
by("filter").addEventListener("input", (event) => { filter = event.target.value.trim().toLowerCase(); refresh(); });
by("variable").addEventListener("input", (event) => { wanted = event.target.value.trim().toLowerCase(); showVariables(); });
by("watch-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const expression = by("watch").value.trim();
  if (expression) { watches.push(expression); by("watch").value = ""; showWatches(); }
});
by("rows").addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) go(Number(row.dataset.step) - 1);
});
code.addEventListener("click", (event) => {
  const line = event.target.closest(".source-line");
  if (!line || String(getSelection())) return;
  const number = Number(line.dataset.line), isThere = (step) => step.f === shownFile && step.l === number;
  for (let offset = 1; offset <= steps.length; offset++) {
    const at = (current + offset) % steps.length;
    if (isThere(steps[at])) return go(at);
  }
});
by("scroller").addEventListener("scroll", draw, { passive: true });
addEventListener("resize", draw);
addEventListener("hashchange", () => { const found = /^#step-(\d+)$/.exec(location.hash); if (found) go(Number(found[1]) - 1, true); });
threads.forEach((thread) => {
  const chip = make("button", "chip", long(thread));
  chip.type = "button";
  chip.style.color = colour(thread);
  chip.setAttribute("aria-pressed", "true");
  chip.addEventListener("click", () => {
    if (hidden.has(thread)) hidden.delete(thread); else hidden.add(thread);
    chip.setAttribute("aria-pressed", String(!hidden.has(thread)));
    refresh();
  });
  by("threads").append(chip);
});
if (threads.length < 2) by("threads").hidden = true;
const summary = [`${steps.length} step${steps.length === 1 ? "" : "s"}`];
if (data.omitted) summary.push(`${data.omitted} more left out of the middle`);
if (threads.length > 1) summary.push(`${data.switches} switch${data.switches === 1 ? "" : "es"}`, `${data.preemptions} preemption${data.preemptions === 1 ? "" : "s"} (red)`);
if (data.loop !== null) summary.push(`repeats from step ${data.loop + 1}`);
summary.forEach((words) => by("lanes").append(make("span", "", words)));
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range" && event.target.type !== "checkbox";
  if (event.key === "Escape") event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const thread = steps[current].t;
  const actions = {
    ArrowRight: () => event.shiftKey ? find(1, (step) => step.t === thread) : move(1),
    ArrowLeft: () => event.shiftKey ? find(-1, (step) => step.t === thread) : move(-1),
    ArrowDown: () => move(1), ArrowUp: () => move(-1),
    n: () => move(1), j: () => move(1), p: () => move(-1), k: () => move(-1),
    Home: () => visible.length && go(visible[0]), End: () => visible.length && go(visible[visible.length - 1]),
    "]": () => find(1, (step) => step.sw), "[": () => find(-1, (step) => step.sw),
    "/": () => by("filter").focus(), t: turn, a: () => isSliced && showAll(onlyRelevant),
  };
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});
select();
const linked = /^#step-(\d+)$/.exec(location.hash);
go(linked ? Number(linked[1]) - 1 : steps.length - 1, true);
})();
