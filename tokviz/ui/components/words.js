// Numbers as a person reads them.

const grouped = new Intl.NumberFormat("en-US");
const hundredths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const figure = (number) => grouped.format(number); // 1,024
export const rate = (number) => hundredths.format(number); // 3.14
export const times = (number) => (number === 1 ? "once" : `${figure(number)} times`);

// Stands in place of the merges of a token that has none.
export const UNMADE = "no pair of tokens makes this one";

// A number with its unit: "1 token", "2,048 tokens".
export const quantity = (number, unit) => `${figure(number)} ${unit}${number === 1 ? "" : "s"}`;
