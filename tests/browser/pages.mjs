// Opens every page of a folder in Chromium, steps through it by keyboard and mouse, and compares what it shows with what
// its data says. Arguments: the folder of the pages, and optionally one for pictures.
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [folder, pictures] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
assert(executablePath, "chromium is not installed (Debian: apt-get install chromium)");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
  const page = await context.newPage();
  const problems = [];
  const address = pathToFileURL(join(folder, file)).href;
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url === address || url.startsWith(address + "#") || url.startsWith("data:,")) return route.continue();
    problems.push(`request: ${url}`);
    return route.abort();
  });
  await page.goto(address + (options.hash || ""));
  const data = JSON.parse(await page.locator("#data").textContent());
  if (!options.isBrief && (data.steps || []).some((step) => step.ir)) {
    // At first only what bears on the failure is there, unless the address asks for more.
    if (!options.hash) {
      const wanted = data.steps.flatMap((step, at) => step.ir ? [] : [String(at + 1)]);
      const rows = await page.locator(".row").evaluateAll((rows) => rows.map((row) => row.dataset.step));
      assert(rows.every((row) => wanted.includes(row)), `${file}: ${rows} should be among ${wanted}`);
    }
    await page.locator("#all").check();
  }
  return { page, data, problems, close: async () => { assert.deepEqual(problems, [], file); await context.close(); } };
}

// What a step must look like, computed from the data alone.
async function expectStep({ page, data }, number, file) {
  const at = number - 1, step = data.steps[at];
  assert.equal(await page.locator("#where").textContent(), `step ${number} of ${data.steps.length}`, file);
  assert.equal(await page.locator(".row.now").getAttribute("data-step"), String(number), file);
  assert.equal(await page.locator("#slider").inputValue(), String(number), file);
  if (step.l > 0 && step.f >= 0) {
    assert.equal(await page.locator(".source-line.now").getAttribute("data-line"), String(step.l), file);
    const heads = await page.locator(".source-line.now .head").allTextContents();
    assert(heads.includes(String(step.t)), `${file}: thread ${step.t} should stand on line ${step.l}, not ${heads}`);
  }
  const changes = (step.ch || []).map(([name, before, after]) => `${name}|${before} ${after}`);
  const shown = await page.locator("#changes tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent).join("|")));
  assert.deepEqual(shown, changes, `${file}: changes at step ${number}`);
  const values = new Map(), stale = new Set();
  data.steps.slice(0, number).forEach(({ t, d, fn, ch }) => {
    values.forEach(([name, , scope], key) => {
      const isLeft = scope && scope[0] === t && (d < scope[2] || (d === scope[2] && fn !== scope[1]));
      if (isLeft) { values.delete(key); stale.add(name); }
    });
    (ch || []).forEach(([name, , after, scope]) => values.set(JSON.stringify([name, scope]), [name, after, scope]));
  });
  const table = await page.locator("#variables tr").evaluateAll((rows) => rows.map((row) => [row.dataset.variable, row.cells[1].textContent]));
  for (const [name, value] of values.values()) {
    assert(table.some(([known, now]) => known === name && now === value), `${file}: ${name} should be ${value} at step ${number}: ${JSON.stringify(table)}`);
  }
  // The variables of a function that was left are gone, unless something else has the name.
  const live = new Set([...values.values()].map(([name]) => name));
  for (const name of stale) {
    assert(live.has(name) || !table.some(([known]) => known === name), `${file}: ${name} should be gone at step ${number}`);
  }
}

async function walk(file) {
  const opened = await open(file);
  const { page, data } = opened;
  const last = data.steps.length;
  assert.equal(await page.locator(".badge").textContent(), "violated");
  assert(last >= 3, `${file}: three steps should be there to be looked at`);
  await expectStep(opened, last, file);
  // By keyboard: to the beginning, one on, one back, to the end.
  await page.keyboard.press("Home");
  await expectStep(opened, 1, file);
  if (last > 1) {
    await page.keyboard.press("ArrowRight");
    await expectStep(opened, 2, file);
    await page.keyboard.press("ArrowLeft");
    await expectStep(opened, 1, file);
    // By mouse: the button, then a row of the timeline.
    await page.locator("#next").click();
    await expectStep(opened, 2, file);
    const middle = Math.min(last, 4);
    await page.locator(`.row[data-step="${middle}"]`).click({ position: { x: 150, y: 8 } });
    await expectStep(opened, middle, file);
    assert.equal(new URL(page.url()).hash, `#step-${middle}`);
  }
  await page.keyboard.press("End");
  await expectStep(opened, last, file);
  await opened.close();
  const linked = await open(file, { hash: "#step-1" });
  await expectStep(linked, 1, file);
  await linked.close();
}

// The lost update, in words: what the page must say at three steps, whatever the data says.
async function lostUpdate() {
  const opened = await open("assertion.html", { colorScheme: "dark" });
  const { page, data } = opened;
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await page.keyboard.press("t");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
  const steps = data.steps;
  const reads = steps.findIndex((step) => (step.rd || []).some(([name]) => name === "shared"));
  const lost = steps.findIndex((step) => (step.ch || []).some(([name, before, after]) => name === "shared" && before === "1" && after === "1"));
  assert(reads >= 0 && lost > reads, "the update should be lost after it was read");
  const value = () => page.locator('#variables tr[data-variable="shared"] td').nth(1).textContent();
  await page.locator("#watch").fill("shared * 10 + 2 == 12 ? 7 : 8");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  const watched = () => page.locator("#watches .new").textContent();
  await page.locator(`.row[data-step="${reads + 1}"]`).click();
  assert.equal(await value(), "0");
  assert.equal(await watched(), "8");
  assert.match(await page.locator("#step").textContent(), /had read shared: 0/);
  await page.keyboard.press("]");
  assert.match(await page.locator("#step").textContent(), /preemption: the one before could have gone on/);
  await page.locator(`.row[data-step="${lost + 1}"]`).click();
  assert.equal(await value(), "1");
  assert.equal(await watched(), "7");
  await page.keyboard.press("End");
  assert.match(await page.locator("#step").textContent(), /does not hold/);
  // The history of a variable leads to its steps.
  await page.locator('#variables tr[data-variable="shared"] .name').click();
  await page.locator('#variables tr[data-variable="shared"] .history button').first().click();
  await expectStep(opened, steps.findIndex((step) => (step.ch || []).some(([name]) => name === "shared")) + 1, "history").catch((error) => {
    // The opened history is part of the cell, so only the place is compared.
    if (!/should be/.test(error.message)) throw error;
  });
  await page.locator('#variables tr[data-variable="shared"] .name').click();
  // Filters: one thread away, then only what mentions a name.
  const rows = () => page.locator(".row").count();
  const all = await rows();
  await page.locator(".chip").nth(1).click();
  assert.equal(await rows(), all - steps.filter((step) => step.t === 1).length);
  await page.locator(".chip").nth(1).click();
  await page.locator("#filter").fill("pthread_join");
  assert.equal(await rows(), 1);
  await page.locator("#filter").fill("");
  // Variables by name.
  await page.locator("#variable").fill("shar");
  assert.deepEqual(await page.locator("#variables tr").evaluateAll((rows) => rows.map((row) => row.dataset.variable)), ["shared"]);
  await page.locator("#variable").fill("");
  // A click on a source line goes to a step there.
  await page.keyboard.press("Escape");
  await page.locator(".source-line", { hasText: "pthread_create" }).click();
  assert.match(await page.locator(".row.now").textContent(), /pthread_create/);
  await opened.close();
}

// Messages of a model: who sent what is an arrow to who received it, and both say so.
async function messages(file) {
  const opened = await open(file);
  const { page, data } = opened;
  const receives = data.steps.findIndex((step) => (step.rcv || []).length > 0);
  assert(receives > 0, "a message should be received");
  const [id, channel, text] = data.steps[receives].rcv[0];
  const sends = data.steps.findIndex((step) => (step.snd || []).some((message) => message[0] === id));
  assert(sends >= 0 && sends < receives, "it should have been sent before");
  assert(await page.locator(`path.message[data-message="${id}"]`).count() === 1, "the message should be an arrow");
  await page.locator(`.row[data-step="${sends + 1}"]`).click({ position: { x: 150, y: 8 } });
  assert.match(await page.locator("#step").textContent(), new RegExp(`sends .*${channel}`));
  await page.locator(`.row[data-step="${receives + 1}"]`).click({ position: { x: 150, y: 8 } });
  const said = await page.locator("#step").textContent();
  assert(said.includes(`receives ${text} from ${channel}`), said);
  await opened.close();
  await walk(file);
}

// A thousand steps: how large, and how long until it can be used. Times are told, not judged.
async function long(file) {
  const size = statSync(join(folder, file)).size;
  assert(size < 1_000_000, `${file} has ${size} bytes`);
  const times = [];
  for (let round = 0; round < 3; round++) {
    const opened = await open(file);
    assert(opened.data.steps.length >= 1_000, `${opened.data.steps.length} steps`);
    const loaded = await opened.page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
    const begun = await opened.page.evaluate(() => performance.now());
    await opened.page.keyboard.press("Home");
    await expectStep(opened, 1, file);
    const stepped = await opened.page.evaluate(() => performance.now()) - begun;
    times.push(`${Math.round(loaded)} ms (first key ${Math.round(stepped)} ms)`);
    await opened.close();
  }
  // What no step changes has a value all the same.
  const opened = await open(file);
  await opened.page.locator("#watch").fill("limit * 2 + sum");
  await opened.page.keyboard.press("Enter");
  await opened.page.keyboard.press("Escape");
  await opened.page.keyboard.press("Home");
  assert.equal(await opened.page.locator("#watches .new").textContent(), "14");
  assert.equal(await opened.page.locator('#variables tr[data-variable="limit"] td').nth(1).textContent(), "7");
  await opened.close();
  await walk(file);
  console.log(`${file}: ${Math.round(size / 1000)} kB, opened in ${times.join(", ")}`);
}

async function malicious(file) {
  const opened = await open(file);
  const { page } = opened;
  assert.equal(await page.locator("script").count(), 2);
  assert.equal(await page.locator("img, iframe, object, embed, link:not([rel=icon]), base").count(), 0);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  const text = await page.locator("body").innerText();
  assert(!/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/.test(text), "control characters should be visible");
  assert(text.includes("<script>"), "markup should show as text");
  await opened.close();
}

async function withoutTrace(file, verdict, unreached, hasLocks) {
  const opened = await open(file);
  const { page } = opened;
  assert.equal(await page.locator(".badge").textContent(), verdict);
  assert(await page.locator(".source-line.reached").count() > 0, "explored lines should be marked");
  assert.equal(await page.locator("#slider").count(), 0);
  const cards = await page.locator(".card h2").allTextContents();
  for (const wanted of ["What the verdict rests on", "Search", "Lines explored"]) assert(cards.includes(wanted), `${file}: ${cards}`);
  assert.equal(cards.includes("Why it is unknown"), verdict === "unknown");
  if (unreached) {
    assert(await page.locator(".source-line.missed").count() > 0, "lines that nobody reached should be marked");
    assert((await page.locator(".cards").textContent()).includes(unreached), `${file}: ${unreached} should be told`);
  }
  if (hasLocks) assert.equal(await page.locator("svg#locks .node").count(), 2);
  await opened.close();
}

async function phone(file) {
  const opened = await open(file, { viewport: { width: 390, height: 844 }, hasTouch: true });
  const { page } = opened;
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert(width <= 390, `the page should not be wider than the phone, but is ${width}`);
  await page.locator("#back").tap();
  await expectStep(opened, opened.data.steps.length - 1, file);
  await opened.close();
}

async function picture(file, name, options = {}) {
  const opened = await open(file, options);
  if (options.steps) for (const key of options.steps) await opened.page.keyboard.press(key);
  await opened.page.screenshot({ path: join(pictures, name), fullPage: Boolean(options.fullPage) });
  await opened.close();
}

const files = readdirSync(folder).filter((file) => file.endsWith(".html")).sort();
const special = {
  "long.html": long,
  "malicious.html": malicious,
  "messages.html": messages,
  "unknown.html": (file) => withoutTrace(file, "unknown"),
  "unknown-model.html": (file) => withoutTrace(file, "unknown"),
  "verified.html": (file) => withoutTrace(file, "verified", "unused()", true),
  "verified-model.html": (file) => withoutTrace(file, "verified", "alarm"),
};
for (const file of files) {
  await (special[file] || walk)(file);
  console.log(`${file}: ok`);
}
await lostUpdate();
await phone("assertion.html");
if (pictures) {
  const small = { viewport: { width: 1180, height: 700 } };
  await picture("assertion.html", "page-light.png", { ...small, hash: "#step-6" });
  await picture("deadlock.html", "page-dark.png", { ...small, colorScheme: "dark" });
  await picture("assertion.html", "page-phone.png", { viewport: { width: 390, height: 844 }, hash: "#step-4" });
  await picture("verified.html", "page-verified.png", { viewport: { width: 1000, height: 760 }, fullPage: true });
  await picture("verified-model.html", "page-model.png", { viewport: { width: 1000, height: 760 }, fullPage: true });
  await picture("messages.html", "page-messages.png", { ...small, hash: "#step-9" });
  for (const file of files.filter((name) => !special[name])) {
    await picture(file, `kinds/${file.replace(".html", ".png")}`, { viewport: { width: 1100, height: 560 } });
  }
}
await browser.close();
console.log(`${files.length} pages`);
