// What tokens cost in dollars: rounded to cents, or to two digits if it is less than ten cents.

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
