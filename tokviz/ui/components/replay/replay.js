// Replay: the player on the token view, and the ledger of the merges beside it.
//
// A step k means: k merges are done. Everything is here from the start, so a step costs what it changes and no more;
// Python hears of it when the reader has come to rest.

const SPEEDS = [1, 4, 16, 60, 250];             // merges a second
const TWO_BEATS = 4;                            // steps a second up to which a pair is boxed and draws together first
const ONE_BEAT = 16;                            // and up to which a new token settles; playing faster has neither
const LEDGER_EVERY = 80;                        // ms between two looks of the ledger while playing faster than that
const GATHER = 220;                             // ms
const REST = 250;                               // ms without a move, after which Python is told
const CURRENT_ROW = 3;                          // rows of the ledger above the current one
const KEPT_BYTES = 256;                         // of a token's bytes, for its chip and hue

const lastStep = new Map();                     // id of a training -> step: outlives a remount and a new window

// The bytes of every token of the training, put together from its merges.
class Vocabulary {
  constructor(alphabet, { left, right, id }) {
    this.known = new Map();
    alphabet.forEach((byteId, byte) => this.known.set(byteId, Uint8Array.of(byte)));
    this.merges = { left, right, id };
    this.made = 0;
  }

  // The bytes of a token that exists after `merges` merges; of a very long one, the beginning.
  bytes(id, merges) {
    const { left, right, id: ids } = this.merges;
    for (; this.made < merges; this.made++) {
      const halves = [this.known.get(left[this.made]), this.known.get(right[this.made])];
      const both = new Uint8Array(halves[0].length + halves[1].length);
      both.set(halves[0]);
      both.set(halves[1], halves[0].length);
      this.known.set(ids[this.made], both.length > KEPT_BYTES ? both.slice(0, KEPT_BYTES) : both);
    }
    return this.known.get(id);
  }
}

// A table of as many rows as one likes, of which only those in sight exist.
class Ledger {
  constructor(box, titles, cells) {
    this.box = box;
    this.cells = cells;
    this.table = box.appendChild(make("div", "table"));
    this.table.setAttribute("role", "table");
    this.table.setAttribute("aria-label", "Merges in the order they were learned");
    const head = this.table.appendChild(make("div", "head-row row"));
    head.setAttribute("role", "row");
    head.setAttribute("aria-rowindex", "1");
    for (const title of titles) head.appendChild(make("span", "", title)).setAttribute("role", "columnheader");
    this.body = this.table.appendChild(make("div", "body"));
    this.body.setAttribute("role", "rowgroup");
    this.rows = [];
    box.addEventListener("scroll", () => this.draw(box.scrollTop));
    this.resized = new ResizeObserver(() => this.rest());
    this.resized.observe(box);
  }

  load(length) {
    this.length = length;
    this.rows = [];
    this.body.replaceChildren();
    this.table.setAttribute("aria-rowcount", length + 1);
    this.current = null;
  }

  // Measure again: the width, and with it the size of the letters, has changed.
  rest() {
    if (!this.length || !this.box.clientHeight) return;
    if (!this.rows.length) this.body.append(this.row(0).element);
    this.height = this.rows[0].element.getBoundingClientRect().height;
    this.sight = Math.ceil(this.box.clientHeight / this.height) + 1;     // rows
    this.end = Math.max(0, this.length * this.height + this.body.offsetTop - this.box.clientHeight);
    this.body.style.height = `${this.length * this.height}px`;
    this.rows = [];
    this.body.replaceChildren();
    if (this.current !== null) this.show(this.current);
  }

  row(index) {
    const element = make("div", "row");
    element.setAttribute("role", "row");
    const row = { element, index: -1 };
    this.rows.push(row);
    this.fill(row, index);
    return row;
  }

  fill(row, index) {
    row.index = index;
    row.element.dataset.merge = index;
    row.element.setAttribute("aria-rowindex", index + 2);
    row.element.style.transform = `translateY(${index * this.height || 0}px)`;
    row.element.replaceChildren(...this.cells(index).map((content) => {
      const cell = make("span");
      cell.setAttribute("role", "cell");
      cell.append(...[content].flat());
      return cell;
    }));
    this.dress(row);
  }

  dress({ element, index }) {
    element.classList.toggle("current", index === this.current);
    element.classList.toggle("later", index > this.current);
    if (index === this.current) element.setAttribute("aria-current", "step");
    else element.removeAttribute("aria-current");
  }

  // Make row `current` the current one, fourth in sight.
  show(current) {
    this.current = current;
    if (!this.height) return this.rest();
    // What scrollTop will be is worked out, not read back: reading would lay the page out at each step.
    const top = Math.max(0, Math.min((current - CURRENT_ROW) * this.height, this.end));
    this.draw(top);
    this.rows.forEach((row) => this.dress(row));
    this.box.scrollTop = top;
  }

  draw(top) {
    if (!this.height) return;
    const first = Math.max(0, Math.min(Math.floor(top / this.height), this.length - this.sight));
    const last = Math.min(this.length, first + this.sight);
    const wanted = new Set();
    for (let index = first; index < last; index++) wanted.add(index);
    this.rows.forEach((row) => wanted.delete(row.index));
    if (!wanted.size) return;
    const free = this.rows.filter((row) => row.index < first || row.index >= last);
    for (const index of wanted) {
      const row = free.pop();
      if (row) this.fill(row, index);
      else this.row(index);
    }
    for (const row of free) row.element.remove();
    this.rows = this.rows.filter((row) => !free.includes(row)).sort((a, b) => a.index - b.index);
    this.rows.forEach((row, i) => {                     // in the order of the merges, also for those who listen
      if (this.body.children[i] !== row.element) this.body.insertBefore(row.element, this.body.children[i] || null);
    });
  }

  close() {
    this.resized.disconnect();
  }
}

class Replay {
  constructor(parent) {
    this.root = parent.querySelector(".replay");         // replay.html
    const find = (selector) => this.root.querySelector(selector);
    this.bar = find(".player");
    this.range = find("input");
    this.playButton = find("[data-do=play]");
    this.strip = find(".strip");
    this.view = new TokenView(this.strip, "Tokens at this step", (token) => this.drawPointed(token));
    this.view.entered = false;
    this.strip.tabIndex = 0;
    this.ledger = new Ledger(find(".ledger"), ["Merge", "Pair", "Count", "Replaced", "Tied", "Tokens"],
                             (index) => this.cells(index));
    this.parts = { done: find(".done"), ticks: find(".ticks"), next: find(".next h2"), nextNote: find(".next p"),
                   pointed: find(".pointed"), caption: find(".caption"), spoken: find(".unseen"), none: find(".none"),
                   under: find(".under"), nowhere: find(".nowhere"), right: find(".right"), nextBox: find(".next") };
    this.speed = 4;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.lastMove = this.ledgerDrawn = -Infinity;
    this.playing = 0;                                   // the frame asked for, while playing
    this.speeds(find(".under .choice span"));
    this.listen();
  }

  close() {
    this.pause();
    clearTimeout(this.telling);
    clearTimeout(this.gathering?.timer);
    this.view.close();
    this.ledger.close();
  }

  update(data, tell) {
    this.tell = tell;
    this.root.dataset.theme = themeOf(this.root);
    const drawn = this.data && this.data.id === data.id && this.data.start === data.start
      && this.data.window.seams === data.window.seams && this.data.window.text === data.window.text;
    if (drawn) return;                                   // only the theme changed
    this.pause();
    this.settle();
    this.data = data;
    const column = ({ int32: whole, float64: wide }) => (whole === undefined ? float64(wide) : int32(whole));
    this.merges = Object.fromEntries(Object.entries(data.merges).map(([name, values]) => [name, column(values)]));
    this.last = this.merges.id.length;
    this.encoding = read(data.window);
    this.vocabulary = new Vocabulary(this.encoding.alphabet, this.merges);
    this.k = Math.max(0, Math.min(this.last, lastStep.get(data.id) ?? data.step));
    this.bar.setAttribute("aria-label", `${data.title}: player. Arrow keys step through the merges`);
    this.root.setAttribute("aria-label", data.title);
    this.strip.setAttribute("aria-label", "Tokens at this step. Enter goes to the tokens, arrows step");
    this.range.max = this.last;
    this.drawTicks();
    this.widths();
    const none = this.last === 0, nowhere = this.encoding.n === 0;
    this.parts.none.hidden = !none;
    this.parts.none.querySelector("p").textContent = `This training made no merge: “${data.corpus_name}” stays at `
      + `${figure(data.tokens_before)} ${data.tokens_before === 1 ? "token" : "tokens"}.`;
    this.bar.hidden = this.parts.under.hidden = this.parts.right.hidden = this.parts.nextBox.hidden = none;
    this.root.classList.toggle("bare-strip", none);
    this.strip.hidden = nowhere;
    this.parts.nowhere.hidden = !nowhere || none;
    this.view.load(this.encoding, replayHues(this.encoding), this.k);
    this.ledger.load(this.last);
    this.parts.pointed.hidden = nowhere;
    this.drawPointed(null);
    this.draw(false);
    this.reveal();
  }

  // --- keys, mouse, touch ---

  listen() {
    // A pointer leaves the focus with the bar, so that Space plays and does not press the same button again.
    this.root.querySelector(".buttons").addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.bar.focus({ preventScroll: true });
    });
    this.root.querySelector(".buttons").addEventListener("mousedown", (event) => event.preventDefault());
    this.root.querySelector(".buttons").addEventListener("click", (event) => {
      const name = event.target.closest("button")?.dataset.do;
      const actions = { first: () => this.go(0), back: () => this.step(-1), play: () => this.toggle(),
                        forward: () => this.step(1), last: () => this.go(this.last) };
      actions[name]?.();
    });
    this.range.addEventListener("input", () => this.go(Number(this.range.value)));
    this.ledger.box.addEventListener("click", (event) => {
      const merge = event.target.closest("[data-merge]")?.dataset.merge;
      if (merge !== undefined) this.go(Number(merge));
    });
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    keepFromPage(event);
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || this.last === 0) return;
    const on = event.target.closest("button");
    const far = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowRight: () => this.step(far), ArrowLeft: () => this.step(-far),
      ArrowUp: () => this.step(far), ArrowDown: () => this.step(-far),
      PageDown: () => this.step(100), PageUp: () => this.step(-100),
      Home: () => this.go(0), End: () => this.go(this.last),
      " ": on && on !== this.playButton ? null : () => !event.repeat && this.toggle(),
      Enter: event.target === this.bar || event.target === this.strip ? () => this.enter() : null,
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  enter() {
    if (this.encoding.n) this.view.go(this.view.at);
  }

  speeds(box) {
    for (const speed of SPEEDS) {
      const element = box.appendChild(make("button", "", String(speed)));
      element.type = "button";
      element.addEventListener("click", () => {
        this.speed = speed;
        for (const other of box.children) other.setAttribute("aria-pressed", other === element);
        if (this.playing) this.play();
      });
      element.setAttribute("aria-pressed", speed === this.speed);
    }
  }

  // --- moving ---

  go(k) {
    this.pause();
    this.settle();
    this.commit(k, false);
    this.reveal();
  }

  step(by) {
    this.pause();
    if (by === 1) this.forward();
    else this.go(this.k + by);
  }

  // One merge forward: in two beats when the reader takes time for it, else at once.
  forward(slow = performance.now() - this.lastMove >= 1000 / TWO_BEATS) {
    this.settle();
    if (this.k >= this.last) return;
    this.lastMove = performance.now();
    if (slow) this.reveal();
    if (!slow || this.still.matches || !this.view.pairs.length) {
      this.commit(this.k + 1, !this.still.matches);
      return;
    }
    this.strip.classList.add("gather");
    this.gathering = { timer: setTimeout(() => this.settle(true), GATHER) };
  }

  // End the gathering of a pair, if one is on its way.
  settle(animate = false) {
    if (!this.gathering) return;
    clearTimeout(this.gathering.timer);
    this.gathering = null;
    this.commit(this.k + 1, animate);
    this.strip.classList.remove("gather");
  }

  commit(k, animate) {
    this.k = Math.max(0, Math.min(this.last, k));
    this.draw(animate);
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (this.playing) return;
      lastStep.set(this.data.id, this.k);
      this.parts.spoken.textContent = this.sentence();
      this.tell?.("step", this.k);
    }, REST);
    lastStep.set(this.data.id, this.k);
  }

  toggle() {
    if (this.playing) {
      this.pause();
      if (this.gathering) this.settle(true);
      else this.commit(this.k, false);
      return;
    }
    if (this.k >= this.last) this.go(0);
    this.play();
  }

  play() {
    cancelAnimationFrame(this.playing);
    let before = performance.now(), owed = 0;
    if (this.speed <= TWO_BEATS) owed = 1;              // the first step is not waited for
    const frame = (now) => {
      this.playing = requestAnimationFrame(frame);
      owed += Math.min(now - before, 100) * this.speed / 1000;     // a page that slept does not leap
      before = now;
      const steps = Math.floor(owed);
      if (!steps) return;
      owed -= steps;
      if (this.speed <= TWO_BEATS) this.forward(true);
      else {
        this.settle();
        this.commit(this.k + steps, !this.still.matches && this.speed <= ONE_BEAT);
      }
      if (this.k + (this.gathering ? 1 : 0) >= this.last) this.pause();
    };
    this.playing = requestAnimationFrame(frame);
    this.drawPlay();
  }

  pause() {
    if (!this.playing) return;
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    this.drawPlay();
    this.draw(false);                                   // boxes and ledger, which fast playing leaves out
  }

  // --- drawing ---

  draw(animate) {
    const { k, last, parts, view } = this;
    const fast = this.playing && this.speed > TWO_BEATS;
    if (k !== view.k) view.show(k);
    view.mark({ pairs: !fast, settle: animate });
    this.root.dataset.step = k;
    this.root.dataset.tokens = view.count();
    this.range.value = k;
    this.range.style.setProperty("--done", last ? k / last : 0);
    const place = `${figure(k)} of ${figure(last)}`, done = last === 1 ? " merge done" : " merges done";
    this.range.setAttribute("aria-valuetext", place + done);
    parts.done.replaceChildren(make("b", "", place), done);
    if (last) this.drawNext();
    this.drawCaption();
    const now = performance.now();
    if (!last || (fast && now - this.ledgerDrawn < LEDGER_EVERY)) return;
    this.ledgerDrawn = now;
    this.ledger.show(k);
  }

  drawPlay() {
    this.playButton.classList.toggle("playing", this.playing > 0);
    this.playButton.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  drawNext() {
    const { k, last, merges, parts } = this;
    if (k === last) {
      parts.next.textContent = last === 1 ? "The merge is done" : `All ${figure(last)} merges are done`;
      parts.nextNote.textContent = "";
      return;
    }
    const sign = (text, word) => {
      const mark = make("span", "sign", text);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", word);
      return mark;
    };
    parts.next.replaceChildren(`Next, merge ${figure(k + 1)}: `, this.chip(merges.left[k], k), sign("+", "and"),
                               this.chip(merges.right[k], k), sign("→", "make"), this.chip(merges.id[k], k + 1));
    parts.nextNote.textContent = `id ${figure(merges.id[k])}, ${this.places(k)}`;
  }

  // "in 9 places": over the corpus, and here where that is not the same.
  places(k) {
    const { count, replaced } = this.merges;
    const places = (number) => `${figure(number)} ${number === 1 ? "place" : "places"}`;
    const here = this.view.places(k).length;
    const corpus = count[k] === replaced[k] ? `in ${places(count[k])}`
      : `pair count ${figure(count[k])}, replaced in ${places(replaced[k])}`;
    if (!this.encoding.n || here === replaced[k]) return corpus;
    return `${corpus}, ${here ? figure(here) : "none"} of them here`;
  }

  tokensAfter(k) {
    return k ? this.merges.tokens_after[k - 1] : this.data.tokens_before;
  }

  drawPointed(token) {
    if (!token) {
      this.parts.pointed.textContent = "Point at a token, or press Enter and use the arrows";
      return;
    }
    const { start, end, id } = token;
    const label = make("b", "", id === null ? "no id" : `id ${figure(id)}`);
    const often = times(this.view.counted().often.get(id));
    this.parts.pointed.replaceChildren(chip(this.encoding.bytes.subarray(start, end), this.view.hueOf(start, end)),
                                       label, `${often} in this window`);
  }

  drawCaption() {
    const { data, encoding, view, parts } = this;
    const whole = encoding.n === data.n_bytes;
    const tokens = (number) => `${figure(number)} ${number === 1 ? "token" : "tokens"}`;
    const corpus = this.tokensAfter(this.k);
    const compression = corpus ? `, ${rate(data.n_bytes / corpus)} bytes per token` : "";
    parts.caption.replaceChildren();
    if (encoding.n && !whole) {
      parts.caption.append(`Bytes ${figure(data.start)} to ${figure(data.start + encoding.n)}: `,
                           make("b", "", tokens(view.count())), ". ");
      if (data.cut) parts.caption.append("Its first chunk begins before it. ");
    }
    const name = `“${data.corpus_name}”, ${figure(data.n_bytes)} bytes: `;
    parts.caption.append(name, make("b", "", tokens(corpus)), compression);
  }

  chip(id, merges) {
    const bytes = this.vocabulary.bytes(id, merges);
    return bytes ? chip(bytes) : make("span", "quiet", `id ${figure(id)}`);
  }

  cells(index) {
    const { left, right, count, replaced, tied } = this.merges;
    const pair = make("span", "chips");
    pair.append(this.chip(left[index], index), this.chip(right[index], index));
    return [figure(index + 1), pair, figure(count[index]), figure(replaced[index]),
            tied[index] > 1 ? figure(tied[index]) : "–", figure(this.tokensAfter(index + 1))];
  }

  // Columns as wide as their largest figure, so that rows that come into sight change nothing.
  widths() {
    const largest = (values) => values.reduce((a, b) => (a > b ? a : b), 0);
    const { count, replaced, tied, tokens_after: tokens } = this.merges;
    const width = (value, title) => `${Math.max(figure(value).length * 0.54, title * 0.46).toFixed(2)}em`;
    this.ledger.table.style.setProperty("--widths", [
      width(this.last, 5), "minmax(6em, 1fr)", width(largest(count), 5), width(largest(replaced), 8),
      width(largest(tied), 4), width(largest(tokens), 6)].join(" "));
  }

  sentence() {
    const { k, merges } = this;
    if (!k) return `No merge done, ${figure(this.data.tokens_before)} tokens`;
    const say = (id, made) => {
      const bytes = this.vocabulary.bytes(id, made);
      return bytes ? spoken(bytes, 0, bytes.length) : `id ${id}`;
    };
    return `Merge ${figure(k)} done: ${say(merges.left[k - 1], k - 1)} and ${say(merges.right[k - 1], k - 1)} make `
      + `${say(merges.id[k - 1], k)}, ${figure(this.tokensAfter(k))} tokens`;
  }

  drawTicks() {
    const unit = [1, 2, 5].flatMap((digit) => [1, 10, 100, 1000, 10000].map((power) => digit * power))
      .sort((a, b) => a - b).find((step) => this.last / step <= 60) || this.last;
    this.parts.ticks.replaceChildren();
    for (let at = 0; at <= this.last && this.last; at += unit) {
      const tick = this.parts.ticks.appendChild(make("i", (at / unit) % 10 ? "" : "long"));
      tick.style.insetInlineStart = `${100 * at / this.last}%`;
    }
  }

  // Scroll the strip so that a pair about to merge is in sight (or, after the last, a token just made).
  reveal() {
    const marked = this.view.pairs.length ? this.view.pairs : this.view.born;
    const box = this.strip.getBoundingClientRect();
    const inSight = (element) => {
      const rect = element.getBoundingClientRect();
      return rect.top >= box.top && rect.bottom <= box.bottom;
    };
    if (!marked.length || marked.some(inSight)) return;
    for (let pass = 0; pass < 2; pass++) {              // lines on the way get their true height in the first
      this.strip.scrollTop += marked[0].getBoundingClientRect().top - box.top - box.height / 3;
    }
  }
}

const replays = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!replays.has(parentElement)) replays.set(parentElement, new Replay(parentElement));
  const player = replays.get(parentElement);
  player.update(data, setStateValue);
  return () => {
    player.close();
    replays.delete(parentElement);
  };
}
