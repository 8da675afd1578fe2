// Random templates: each is drawn over what was drawn before, and alone, and both must look and act alike.
//
// What is drawn is first a plan, an array of numbers, words and other plans, because a node cannot be in two places: a
// plan is made twice into templates. Returns the rounds in which the two differ.
({ html, svg, keyed, live, nothing, render }, seed, rounds) => {
  let state = seed;
  const chance = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % n;
  };
  const times = (n, make) => Array.from({ length: n }, (_, i) => make(i));
  const shuffled = (n) => times(n, (i) => i).sort(() => chance(3) - 1);
  const WORDS = ["", "a", "<b>x</b>", "&amp;", '"q"', "é👩‍👩‍👧", "' onclick=heard(9)", 0, 12, null, undefined, false, true, nothing,
    "</script><img src=x onerror=alert(1)>", "javascript:alert(1)", "red;background:url(x)", '{"strings":["<i>"],"values":[]}'];
  const word = () => WORDS[chance(WORDS.length)];
  const heard = [];

  // kind -> [a plan of it, what it draws]
  const KINDS = [
    [(d) => [word(), chance(3), some(d)], (a, b, c) => html`<p class=${a} id="x-${b}-y">${a} and ${draw(c)}</p>`],
    [() => times(chance(4), () => [chance(2), chance(5), word()]), (...all) => html`<ul>${all.map(([hidden, k, text]) => html`<li ?hidden=${hidden} data-k=${k}>${text}</li>`)}</ul>`],
    [() => times(chance(3), () => [word(), chance(2), word()]), (...all) => html`<table><tbody>${all.map(([a, two, b]) => html`<tr><td>${a}</td>${two ? html`<td>${b}</td>` : nothing}</tr>`)}</tbody></table>`],
    [() => [chance(9), ...times(chance(3), () => [chance(9), chance(2), word()])], (w, ...all) => html`<svg viewBox="0 0 ${w} 4">${all.map(([x, one, text]) => svg`<path d=${`M0 ${x}`} /><g>${one ? svg`<text>${text}</text>` : null}</g>`)}</svg>`],
    [(d) => [word(), some(d), some(d)], (a, b, c) => html`${a}${[draw(b), a, draw(c)]}<b title="${a} > ${a}" lang=${a}>t</b>`],
    [(d) => shuffled(9).slice(0, chance(9)).map((k) => [k, some(d)]), (...all) => html`<ul>${all.map(([k, inside]) => keyed(k, html`<li data-k=${k}>${draw(inside)}</li>`))}</ul>`],
    [() => times(chance(5), () => [chance(3), chance(2), word()]), (...all) => html`<ul>${all.map(([k, has, text]) => (has ? keyed(k, html`<li data-k=${k}>${text}</li>`) : html`<li>free ${text}</li>`))}</ul>`], // some keys twice, and some without
    [() => [chance(4)], (v) => html`<select .value=${live(String(v))}>${[0, 1, 2, 3].map((n) => html`<option value=${n}>${n}</option>`)}</select><input .value=${live(`v${v}`)}><textarea .value=${live(`t${v}`)}></textarea>`],
    [(d) => [chance(2), chance(3), word(), chance(2), some(d)], (node, n, text, open, inside) => html`<div>${node ? Object.assign(document.createElement("em"), { textContent: n }) : text}</div><details ?open=${open}><summary>s</summary>${draw(inside)}</details>`],
    [() => [chance(5), word(), word(), chance(2)], (n, a, b, c) => html`<p style="--a:${n};color:${a}" aria-pressed=${c === 0} title='${b}' data-x=${c ? nothing : "a > b"}>${new Set([[a, [b, a]], n])}</p>`],
    [() => [chance(3), word()], (k, text) => keyed(k, html`<h3>${text}</h3>`)],
    [() => [word(), word()], (address, text) => html`<a href=${address} xlink:href="${address}">${text}</a><img src="${address}" alt=${text}>`],
    [() => [chance(4), chance(3)], (n, act) => html`<button @click=${act ? () => heard.push(n) : [null, undefined, false, nothing][n]}>${n}</button>`],
  ];
  const some = (depth) => {
    if (depth < 0) return word();
    const kind = chance(KINDS.length);
    return { kind, plan: KINDS[kind][0](depth - 1) };
  };
  const draw = (planned) => (planned?.plan ? KINDS[planned.kind][1](...planned.plan) : planned);

  const look = (node) => {
    if (node.nodeType === 3) return node.data;
    if (node.nodeType !== 1) return "";
    const attributes = [...node.attributes].map(({ name, value }) => `${name}=${value}`).sort();
    const value = node.matches("input, select, textarea") ? node.value : "";
    return `<${node.tagName} ${attributes}|${value}>${[...node.childNodes].map(look).join("")}</>`;
  };
  const acts = (root) => {
    heard.length = 0;
    for (const button of root.querySelectorAll("button")) button.click();
    return heard.join();
  };

  const differ = [];
  let root;
  for (let round = 0; round < rounds && differ.length < 3; round++) {
    if (round % 25 === 0) {
      root?.remove();
      root = document.body.appendChild(document.createElement("div"));
    }
    const plan = some(3);
    const fresh = document.createElement("div");
    render(draw(plan), root);
    render(draw(plan), fresh);
    const [all, alone] = [root, fresh].map((one) => `${[...one.childNodes].map(look).join("")} ${acts(one)}`);
    if (all !== alone) differ.push({ round, all, alone });
  }
  root.remove();
  return differ;
}
