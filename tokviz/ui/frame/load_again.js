// Loads the page again for who starts over. Only the answer to a load can give the browser another key, and what the tab
// keeps of what was typed goes too.

export default function () {
  addEventListener("pagehide", () => sessionStorage.clear()); // after what parts of the page keep as it is left
  location.reload();
}
