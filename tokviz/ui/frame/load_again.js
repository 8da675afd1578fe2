// Loads the page again. Only the answer to a load can give the browser another key.

export default function () {
  location.reload();
}
