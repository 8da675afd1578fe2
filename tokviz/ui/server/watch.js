// Says when a part of the page was not loaded, when the server is gone and when it is back, and when the browser takes no
// cookie; and gives Streamlit's header its words. Its place in the page is before Streamlit's scripts. The server writes
// into it by what name this start of it goes, and where others find it.

(() => {
  // Streamlit would look for its server beside the page's own address first, where nothing is.
  window.__streamlit = { BACKEND_BASE_URL: new URL("./", document.baseURI).href };
  // Of this machine in its network, where the browser has an address that means this machine only; else "". Then which
  // start of the server the page knows, whose it is, and by which address it was loaded (kit/field.js).
  const page = document.documentElement.dataset;
  Object.assign(page, { address: "{address}", started: "{started}", visitor: "{visitor}", loaded: location.href });
  const find = (id) => document.querySelector(`[data-testid="${id}"]`);

  // --- notes: one at a time, below the page (frame/page.css) ---

  let note = null;

  function hide() {
    note?.remove();
  }

  function show(what, wayOut, label, act = hide) {
    hide();
    const made = (tag, text = "") => Object.assign(document.createElement(tag), { textContent: text });
    const words = made("p");
    words.append(made("strong", what), ` ${wayOut}`);
    note = made("aside");
    note.role = "alert";
    note.style.colorScheme = getComputedStyle(find("stApp") ?? document.body).colorScheme;
    note.append(words);
    if (label) note.appendChild(made("button", label)).addEventListener("click", act);
    document.body.append(note);
  }

  // --- what was not loaded ---

  let failed = false;

  function tellFailed() {
    const wayOut = "Reload the page. If that does not help, ask the person who runs tokviz.";
    show("A part of this page was not loaded.", wayOut, "Reload", () => location.reload());
  }

  function fail() {
    if (failed) return;
    failed = true;
    if (!document.body) addEventListener("DOMContentLoaded", tellFailed);
    else if (!isTold) tellFailed(); // else when the server is back
  }
  const isPart = ({ target }) => target.matches?.("script, link[rel=stylesheet]");
  addEventListener("error", (event) => isPart(event) && fail(), true);
  addEventListener("vite:preloadError", fail);

  // --- the server ---

  const PATIENCE = 1500; // ms without a connection before it is said
  const ASK = 5000; // ms that a look at the server takes at the longest
  let was = false; // there was a connection
  let lost = 0; // when it was lost; 0: it is there, or never was
  let isTold = false; // that it is lost

  async function look() {
    const dialog = find("stDialog"); // Streamlit's own: it would cover what can still be read
    if (dialog?.textContent.includes("Connection error")) dialog.querySelector("button")?.click();
    const state = find("stApp")?.dataset.testConnectionState;
    was ||= state === "CONNECTED";
    if (state === "CONNECTED") {
      const isBack = lost > 0; // a quick server was started again before anybody was told
      lost = 0;
      if (isBack) await back();
    } else if (was && state) {
      lost ||= performance.now();
      if (isTold || performance.now() - lost < PATIENCE) return;
      isTold = true;
      show("The server does not answer.", "What is on the page stays. It goes on when the server is back.");
    }
  }

  async function back() {
    const signal = AbortSignal.timeout(ASK);
    const asked = await fetch("./tokviz/started", { cache: "no-store", signal }).catch(() => null);
    const now = (asked?.ok && (await asked.text())) || page.started;
    if (lost) return; // once more
    if (isTold) hide();
    isTold = false;
    if (failed) return tellFailed();
    const unsaved = "Tokenizers and corpora that were not saved are gone: train or open them again.";
    const gone = `${unsaved} Which steps of the course are done is no longer known.`;
    const kept = location.pathname.endsWith("/class"); // students have saved and lost nothing
    if (now !== page.started) show("The server was started again.", `The page goes on. ${kept ? "" : gone}`, "Close");
    page.started = now;
  }

  // A laptop that slept, or lost its network, has connections that look alive. They are closed, and made again by those who
  // opened them. They hear of it at once: a browser waits up to a minute for the other end. Slept: no script ran for
  // SLEPT ms; in a tab out of sight a browser runs this one once a minute.
  const SLEPT = 90000;
  const sockets = new Set();
  const close = () => {
    for (const socket of sockets) {
      socket.close();
      socket.dispatchEvent(new CloseEvent("close"));
    }
  };
  window.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      sockets.add(this);
      this.addEventListener("close", () => sockets.delete(this));
    }
  };
  let last = Date.now();
  setInterval(() => {
    if (Date.now() - last > SLEPT) close();
    last = Date.now();
    look();
  }, 1000);
  addEventListener("offline", close);

  // --- Streamlit's frame ---

  // The buttons of its header have words, and on a phone it has the name of the page (frame/page.css).
  const WORDS = { stExpandSidebarButton: "☰  Menu", stSidebarCollapseButton: "Close  ✕", stMainMenuButton: "◐  Theme" };

  new MutationObserver(() => {
    for (const [id, words] of Object.entries(WORDS)) {
      const place = find(id);
      const button = place?.matches("button") ? place : place?.querySelector("button");
      button?.setAttribute("data-words", words);
      button?.setAttribute("aria-label", words.match(/\w+/)[0]);
    }
    const header = find("stHeader");
    if (header) header.dataset.page = document.title.split(" · ")[0];
    look();
  }).observe(document, { childList: true, subtree: true, attributeFilter: ["data-test-connection-state"] });

  // On a phone a choice in the menu closes it, and a press beside it too, but for one on the theme, which is there.
  addEventListener("click", ({ target }) => {
    if (target.closest?.('[data-testid="stSidebarNavLink"]'))
      find("stSidebarCollapseButton")?.querySelector("button")?.click();
  });
  const isOfTheme = ({ target }) => target.closest?.('[data-testid="stMainMenu"], [data-testid="stMainMenuPopover"]');
  addEventListener("mousedown", (event) => isOfTheme(event) && event.stopPropagation(), true);

  // A field that was left sends its value a moment later, and with it the page that it was left on. So a click that leads
  // to another page waits for that (ms): it would be led back.
  const LEFT = 300;
  let left = -LEFT; // when that was
  addEventListener("focusout", (event) => {
    if (event.composedPath()[0].matches?.("input, textarea")) left = performance.now(); // also inside a component
  });
  const wait = (event) => {
    const link = event.target.closest?.('[data-testid$="NavLink"]'); // on top, in the sidebar, and in a page
    const isOther = event.ctrlKey || event.metaKey || event.shiftKey; // another tab or window
    if (!link || !event.isTrusted || isOther || performance.now() - left > LEFT) return;
    event.preventDefault();
    event.stopPropagation();
    setTimeout(() => link.click(), LEFT);
  };
  addEventListener("click", wait, true);

  addEventListener("DOMContentLoaded", () => {
    if (navigator.cookieEnabled || failed) return;
    const lost = "What you type here is lost when the page is loaded again, and other tabs do not have it.";
    show("This browser does not accept cookies from this page.", `${lost} Allow cookies to keep it.`, "Close");
  });
})();
