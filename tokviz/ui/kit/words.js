// Numbers as a person reads them.

const grouped = new Intl.NumberFormat("en-US");
const withDecimals = [0, 1, 2].map(
  (n) =>
    new Intl.NumberFormat("en-US", {
      minimumFractionDigits: n,
      maximumFractionDigits: n,
      signDisplay: "negative", // zero has no sign
    }),
);

export const figure = (number) => grouped.format(number); // 1,024
export const rounded = (number, decimals) => withDecimals[decimals].format(number); // as in tokviz/base/wording.py
export const rate = (number) => rounded(number, 2); // 3.14
export const times = (number) => (number === 1 ? "once" : `${figure(number)} times`);
// A merge as readers count them, as in tokviz/base/wording.py: "merge 101,575 of 199,742", or "merge 1" alone.
export const mergeNumber = (rank, of) => `merge ${figure(rank + 1)}${of === undefined ? "" : ` of ${figure(of)}`}`;
export const an = (what) => `${/^[aeiou]/.test(what) ? "an" : "a"} ${what}`;

// In place of the merges of a token that has none, and of the token where there is none.
export const UNMADE = "no pair of tokens makes this one";
export const UNCOVERED = "no token covers these bytes";

// A number with its unit: "1 token", "2,048 tokens".
export const quantity = (number, unit) => `${figure(number)} ${unit}${number === 1 ? "" : "s"}`;

// Names as a list in words: "A", "A and B", "A, B and C".
export const listed = (names) => [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" and ");

// A share (1 is the whole) as a percentage, as in tokviz/base/wording.py. Only nothing is 0 %, and only all of it is 100 %.
export function percent(share) {
  const inHundred = 100 * share;
  const words =
    inHundred === 0 || inHundred === 100
      ? figure(inHundred)
      : inHundred > 0 && inHundred < 0.005
        ? "less than 0.01"
        : inHundred >= 99.95 && inHundred < 100
          ? "more than 99.9"
          : rounded(inHundred, inHundred < 0.995 ? 2 : 1);
  return `${words}\u00a0%`;
}
