// Loads the page again for who starts over. Only the answer to a load can give the browser another key, and what the tab
// keeps of what was typed goes too.

export default function () {
  sessionStorage.clear();
  location.reload();
}
