// Numbers as a person reads them.

const grouped = new Intl.NumberFormat("en-US");
const hundredths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export const figure = (number) => grouped.format(number); // 1,024
export const rate = (number) => hundredths.format(number); // 3.14
export const times = (number) => (number === 1 ? "once" : `${figure(number)} times`);

// Said of a token that no pair of tokens makes, wherever its merges would stand.
export const UNMADE = "no pair of tokens makes this one";

// "1 token", "2,048 tokens": a number with its unit, which takes an s where there is not one of it.
export const quantity = (number, unit) => `${figure(number)} ${unit}${number === 1 ? "" : "s"}`;
