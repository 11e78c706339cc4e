/** Comparators of rows, by the values of the field for the order. @param compare texts of the page's language. */
export function ordersOf(compare) {
  const by = (name) => (a, b) => compare(a.of(name), b.of(name));
  /** Vehicles without a price come last. Amounts of several currencies cannot be compared. */
  const byPrice = (way) => (a, b) =>
    !a.of('price') - !b.of('price') || by('currency')(a, b) || way * by('price')(a, b);
  return {
    oldest: by('dates'),
    plate: by('plates'),
    pictures: (a, b) => b.of('pictures') - a.of('pictures'),
    'price-up': byPrice(1),
    'price-down': byPrice(-1),
  };
}
