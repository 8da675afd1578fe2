// What tokens cost: the same in words as `brief_cost` and `cost_words` of tokviz/cost/figures.py.

import { figure, percent } from "../kit/words.js";

const inDollars = (maximumFractionDigits) =>
  new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    minimumFractionDigits: 2,
    maximumFractionDigits,
  });

// price: for a million tokens, with at most six decimals, so that the product is a whole number.
export function dollars(tokens, price) {
  const amount = (tokens * Math.round(price * 1e6)) / 1e12;
  return amount ? inDollars(Math.max(2, 1 - Math.floor(Math.log10(amount)))).format(amount) : "$0";
}

// model: { input, output, open }; null for a tokenizer that belongs to none.
export const costWords = (tokens, { input, output, open }) =>
  Object.entries({ input, output })
    .filter(([, price]) => price !== null)
    .map(([as, price]) => `${dollars(tokens, price)} as ${as}`)
    .join(", ") || (open ? "open model, no price" : "no price is known");

// How much of the model's context window they fill; "" if it is not known.
export const contextWords = (tokens, { context }) =>
  !context
    ? ""
    : tokens > context
      ? `${figure(tokens - context)} tokens too long for its context window`
      : `${percent(tokens / context)} of its context window`;
