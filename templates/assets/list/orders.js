/** Comparators of rows, by the values of the field for the order. @param compare texts of the page's language. */
export function ordersOf(compare) {
  const by =
    (name, way = 1) =>
    (a, b) =>
      way * ((a.of(name) > b.of(name)) - (a.of(name) < b.of(name)));
  /** Vehicles without the amount come last. Those with another currency or unit cannot be compared. */
  const byAmount = (name, none, way) => (a, b) =>
    (b.of(name) !== none) - (a.of(name) !== none) || by('currency')(a, b) || by(name, way)(a, b);
  return {
    oldest: by('dates'),
    plate: (a, b) => compare(a.of('plates'), b.of('plates')),
    mileage: byAmount('mileage', ''),
    pictures: by('pictures', -1),
    'price-up': byAmount('price', 0),
    'price-down': byAmount('price', 0, -1),
  };
}
