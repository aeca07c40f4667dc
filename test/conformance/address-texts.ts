/** An address whose parts all differ between the two languages. */
export const CASTLE_TEXTS = {
  en: {
    road: 'Castle Square',
    houseNumber: '1',
    suburb: 'City West',
    locality: 'Karlsruhe',
    state: 'Baden-Wuerttemberg',
    country: 'Germany',
    postcode: '76131',
  },
  de: {
    road: 'Schlossplatz',
    houseNumber: '1a',
    suburb: 'Innenstadt-West',
    locality: 'Karlsruhe (Baden)',
    state: 'Baden-Württemberg',
    country: 'Deutschland',
    postcode: 'D-76131',
  },
} as const
