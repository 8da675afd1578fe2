// Says when a part of the page was not loaded, when the server is gone, when it was started again, and when the browser
// takes no cookie. Its place in the page is before Streamlit's scripts. The server writes into it by what name this
// start of it goes, and where others find it.

(() => {
  // Streamlit would look for its server beside the page's own address first, where nothing is.
  window.__streamlit = { BACKEND_BASE_URL: new URL("./", document.baseURI).href };

  const STARTED = "{started}";
  // Of this machine in its network, where the browser has one that means this machine only; else "".
  document.documentElement.dataset.address = "{address}";
  const APP = '[data-testid="stApp"]';
  const PATIENCE = 1500; // ms without a connection before it is said
  const ASK = 5000; // ms between two looks at the server, and the longest that one takes
  // ms that no script ran: connections may be gone without the browser's knowledge. For a tab out of sight a browser
  // runs this one once a minute, and such a tab has not slept.
  const SLEPT = 90000;
  // ms: a field that was left sends its value a moment later, and with it the page that it was left on. After a click
  // that leads to another page, this would lead back.
  const LEFT = 300;
  const LINKS = '[data-testid$="NavLink"]'; // on top, in the sidebar, and in a page
  const RESTARTED = "The server was started again.";
  const LOST = "Tokenizers and corpora that were not saved are gone: train or open them again.";
  const AGAIN = [RESTARTED, `The page goes on. ${LOST}`];
  const IN_CLASS = [RESTARTED, "The page goes on."]; // students have saved and lost nothing
  const AGAIN_AND_FAILED = [RESTARTED, `Reload the page. ${LOST}`];
  const FAILED = [
    "A part of this page was not loaded.",
    "Reload the page. If that does not help, ask who runs tokviz.",
  ];
  const NO_COOKIE = [
    "This browser takes no cookie from this page.",
    "What you type here is lost when the page is loaded again, and no tab shares it. Allow cookies to keep it.",
  ];
  const OFFLINE = ["This browser is offline.", "What is on the page stays. It goes on when the network is back."];
  const AWAY = ["The server does not answer.", "What is on the page stays. It goes on when the server is back."];
  const STYLE = `
    :host { position: fixed; inset: auto 1rem 1rem; z-index: 1000000; display: flex; justify-content: center; }
    div { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; max-width: 44rem; padding: 0.75rem 1rem;
      font: 1rem/1.4 "Source Sans", system-ui, sans-serif; border: 1px solid; border-left: 6px solid #b7791f;
      border-radius: 6px; background: inherit; }
    :host, div { color: inherit; }
    p { flex: 1 1 16rem; margin: 0; }
    button { min-height: 44px; padding: 0 1rem; font: inherit; font-weight: 600; color: inherit; background: none;
      border: 1px solid; border-radius: 6px; cursor: pointer; }
    button:focus-visible { outline: 3px solid #2b6cb0; outline-offset: 2px; }`;
  // ms after which a socket that nobody tries to open again is no longer missed: its part of the page has gone
  const MISSED = 8000;
  const sockets = new Set();
  const opened = new Set(); // addresses of our sockets that were open once
  const missing = new Map(); // those of them that are lost -> when the last try failed
  let bar = null;
  let since = 0; // when the connection was lost; 0: it is there, or never was
  let was = false; // there was a connection
  let gone = false; // and the bar says that there is none
  let told = false; // that the server was started again
  let failed = false; // something was not loaded

  const make = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });

  function show([what, wayOut], label, act) {
    hide();
    bar = document.createElement("aside");
    const root = bar.attachShadow({ mode: "open" });
    const box = make("div", "");
    const words = make("p", "");
    words.append(make("strong", what), ` ${wayOut}`);
    box.setAttribute("role", "alert");
    box.append(words);
    if (label) {
      const button = make("button", label);
      button.addEventListener("click", act);
      box.append(button);
    }
    const { color, backgroundColor } = getComputedStyle(document.querySelector(APP) ?? document.body);
    const none = backgroundColor === "rgba(0, 0, 0, 0)";
    Object.assign(bar.style, { color, backgroundColor: "transparent" });
    box.style.background = none ? "Canvas" : backgroundColor;
    root.append(make("style", STYLE), box);
    document.body.append(bar);
    // The page ends above the note, which so covers nothing of it.
    const below = innerHeight - bar.getBoundingClientRect().top;
    const inside = '[data-testid="stAppViewContainer"] > div, [data-testid="stMain"] { height: 100% !important; }';
    bar.append(make("style", `#root { position: fixed; inset: 0 0 ${below}px; } ${inside}`));
  }

  function hide() {
    bar?.remove();
    bar = null;
  }

  // -- what was not loaded --

  function tellFailed(words = FAILED) {
    show(words, "Reload", () => location.reload());
  }

  function fail() {
    if (failed) return;
    failed = true;
    if (!document.body) addEventListener("DOMContentLoaded", () => tellFailed());
    else if (!since) tellFailed(); // else when the server is back
  }
  addEventListener("vite:preloadError", fail);
  addEventListener(
    "error",
    ({ target }) => {
      const styles = target instanceof HTMLLinkElement && target.rel === "stylesheet";
      if (target instanceof HTMLScriptElement || styles) fail();
    },
    true,
  );

  // -- a field that is left by a click that leads to another page: the click waits until the field has sent --

  let left = -LEFT; // when that was
  addEventListener("focusout", (event) => {
    const [field] = event.composedPath(); // of a component too, whose root hides it
    if (field.matches?.("input, textarea")) left = performance.now();
  });
  addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.(LINKS);
      const other = event.ctrlKey || event.metaKey || event.shiftKey; // another tab or window
      if (!link || !event.isTrusted || other || performance.now() - left > LEFT) return;
      event.preventDefault();
      event.stopPropagation();
      setTimeout(() => link.click(), LEFT);
    },
    true,
  );

  // -- the header: its buttons have words, and on a phone it has the name of the page (frame/page.css) --

  const SIGNS = [
    ["stExpandSidebarButton", "☰  Menu"],
    ["stSidebarCollapseButton", "Close  ✕"],
    ["stMainMenuButton", "◐  Theme"],
  ];

  function nameHeader() {
    for (const [id, words] of SIGNS) {
      const button = document.querySelector(`button[data-testid=${id}], [data-testid=${id}] button`);
      button?.setAttribute("data-words", words);
      button?.setAttribute("aria-label", words.match(/\w+/)[0]);
    }
    const header = document.querySelector('[data-testid="stHeader"]');
    if (header) header.dataset.page = document.title.split(" · ")[0];
  }
  new MutationObserver(nameHeader).observe(document, { childList: true, subtree: true });
  // The menu of a phone closes when a page was chosen.
  addEventListener("click", ({ target }) => {
    if (target.closest?.('[data-testid="stSidebarNavLink"]'))
      document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });
  // A press beside it closes it too, but for one on the theme, which is there.
  const besideMenu = ({ target }) => target.closest?.('[data-testid="stMainMenu"], [data-testid="stMainMenuPopover"]');
  addEventListener("mousedown", (event) => besideMenu(event) && event.stopPropagation(), true);

  // -- the server --

  const started = async () => {
    const answer = await fetch("./tokviz/started", { cache: "no-store", signal: AbortSignal.timeout(ASK) });
    return answer.ok ? answer.text() : "";
  };

  async function back() {
    since = 0;
    if (!gone) return;
    const now = await started().catch(() => "");
    if (since) return;
    gone = false;
    const again = now && now !== STARTED;
    if (failed) tellFailed(again ? AGAIN_AND_FAILED : FAILED);
    else if (again && !told) {
      told = true;
      show(location.pathname.endsWith("/class") ? IN_CLASS : AGAIN, "Close", hide);
    } else hide();
  }

  function look() {
    const app = document.querySelector(APP);
    const state = app?.dataset.testConnectionState;
    was ||= state === "CONNECTED";
    const now = performance.now();
    for (const [address, failed] of missing) if (now - failed > MISSED) missing.delete(address);
    if (state === "CONNECTED" && !missing.size) {
      if (since) back();
      return;
    }
    if (!was || !state) return;
    since ||= now;
    for (const dialog of document.querySelectorAll('[data-testid="stDialog"] [role="dialog"]')) {
      if (dialog.textContent.includes("Connection error")) dialog.querySelector("button")?.click();
    }
    if (!gone && now - since > PATIENCE) {
      gone = true;
      show(navigator.onLine ? AWAY : OFFLINE);
    }
  }

  // A laptop that slept has connections that look alive. They are closed, and made again by those who opened them.
  window.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      sockets.add(this);
      this.addEventListener("open", () => {
        missing.delete(this.url);
        if (this.url.includes("/tokviz/")) opened.add(this.url);
      });
      this.addEventListener("close", ({ wasClean }) => {
        sockets.delete(this);
        if (!wasClean && opened.has(this.url)) missing.set(this.url, performance.now());
      });
    }
  };
  let last = Date.now();
  setInterval(() => {
    if (Date.now() - last > SLEPT) for (const socket of sockets) socket.close();
    last = Date.now();
    look();
  }, 1000);
  addEventListener("offline", () => {
    for (const socket of sockets) socket.close();
  });
  const watched = new MutationObserver(look);
  watched.observe(document, { subtree: true, attributeFilter: ["data-test-connection-state"] });
  addEventListener("DOMContentLoaded", () => {
    watched.observe(document.body, { childList: true }); // dialogs
    if (!navigator.cookieEnabled && !failed) show(NO_COOKIE, "Close", hide);
  });
})();
