// Puts a component on the page: its script and its styles are fetched together, and it is drawn when all are there.
//
// Streamlit calls the stub that calls this again for each change of its data. What is drawn is closed when its element
// has left the page, or when the server has other files since it was started again.

// Kept at the shadow root and not here: other files of the server's bring another copy of this module.
const MOUNTED = Symbol.for("tokviz.mounted"); // {asked, call}: of the last call; {at, drawn, close}: of the last that drew
const AGAIN = [300, 1000, 3000]; // ms before a file that did not come is asked for again

const OF_ALL = ["kit/palette.css.js", "kit/kit.css.js"]; // the styles of all components

// at: the address of all files. entry: the script whose default export draws. sheets: scripts that export its own styles.
// given: what Streamlit gives a component. call: its number among those of the same stub.
export async function mount(at, entry, sheets, given, call) {
  const { parentElement: root } = given;
  if (!root[MOUNTED]) {
    root[MOUNTED] = {};
    root.addEventListener("keydown", keepFromPage);
  }
  const mounted = root[MOUNTED];
  // Streamlit also runs the clean-up of a call that another one followed while its files were on the way.
  const close = () => root.isConnected || closed(root, mounted);
  if (mounted.asked === at && call < mounted.call) return close;
  Object.assign(mounted, { asked: at, call });
  let exports;
  try {
    exports = await Promise.all([entry, ...OF_ALL, ...sheets].map((place) => fetched(at + place)));
  } catch (error) {
    console.error(error);
    dispatchEvent(new Event("vite:preloadError")); // watch.js says that a part of the page was not loaded
    return close;
  }
  if (mounted.asked !== at || mounted.call !== call || !root.isConnected) return close;
  const [draw, ...styles] = exports.map((each) => each.default);
  if (mounted.at !== at) {
    closed(root, mounted);
    root.adoptedStyleSheets = styles;
  }
  Object.assign(mounted, { at, close: draw({ ...given, data: given.data[0] }), drawn: call });
  return close;
}

// What Streamlit put there itself has no class.
function closed(root, mounted) {
  mounted.close?.();
  mounted.close = null;
  for (const drawn of [...root.children]) if (drawn.className) drawn.remove();
}

async function fetched(url) {
  for (let tries = 0; ; tries++) {
    try {
      return await import(url);
    } catch (error) {
      if (tries === AGAIN.length) throw error;
      await new Promise((then) => setTimeout(then, AGAIN[tries]));
    }
  }
}

// R and C are Streamlit's own keys (rerun, clear cache): inside a component they do nothing.
function keepFromPage(event) {
  if (/^[rc]$/i.test(event.key)) event.stopPropagation();
}
