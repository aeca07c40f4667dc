export interface TextByLanguage {
  readonly en: string
  readonly de: string
}

/** The value of a parameter: areas are lists of their ids, event types are names. */
export type ParameterValue = number | boolean | string | readonly number[]

export type RuleParameter = {
  /** As the API writes it, with the unit at its end. */
  readonly name: string
  readonly label: TextByLanguage
  /** Why the default is what it is, or where it comes from. */
  readonly reason: TextByLanguage
} & (
  | {
      readonly type: 'number' | 'integer'
      /** Its symbol; empty where the number has none, or that of the event type that the rule names. */
      readonly unit: string
      readonly minimum: number
      readonly maximum: number
      /** null: every rule has to say. */
      readonly default: number | null
    }
  | { readonly type: 'boolean'; readonly default: boolean }
  | { readonly type: 'enum'; readonly choices: readonly EnumChoice[]; readonly default: string }
  /** Ids of areas of the account; an empty list means all of them, later ones included. */
  | { readonly type: 'areas'; readonly default: readonly number[] }
  /** The name of an event type with data type NUMBER. */
  | { readonly type: 'eventType'; readonly default: string | null }
  /** A trouble code such as `P0301`, in which `*` stands for any characters and `?` for one. */
  | { readonly type: 'dtcPattern'; readonly default: string }
  /** A day such as `2027-03-31`; null: every rule has to say. */
  | { readonly type: 'date'; readonly default: null }
)

interface EnumChoice {
  readonly value: string
  readonly label: TextByLanguage
}

export type Severity = 'info' | 'warning' | 'critical'

export const SEVERITIES: readonly Severity[] = ['info', 'warning', 'critical']

export type RuleGroup = 'areas' | 'driving' | 'use' | 'energy' | 'vehicle' | 'device'

/** A kind of rule: something that a fleet can be watched for. */
export interface RuleKind {
  /** As the API writes it. */
  readonly name: string
  readonly group: RuleGroup
  readonly parameters: readonly RuleParameter[]
  /** The unit of the peak value of its incidents; empty where they have none, null where it is that of the event type that the rule names. */
  readonly peakUnit: string | null
  readonly severity: Severity
  /** The meaning of the hours of a rule: when it applies; or when use is permitted, and the rule applies outside of them. */
  readonly hours: 'applies' | 'permitted'
  readonly title: TextByLanguage
  readonly description: TextByLanguage
}

/** A kind in the list of its group: most apply at the hours of the rule, and many have no peak value. */
type ListedKind = Omit<RuleKind, 'group' | 'peakUnit' | 'hours'> & Partial<Pick<RuleKind, 'peakUnit' | 'hours'>>

export function kindsOf<const Kind extends ListedKind>(
  group: RuleGroup,
  kinds: readonly Kind[],
): readonly (RuleKind & Pick<Kind, 'name'>)[] {
  return kinds.map(kind => ({ group, peakUnit: '', hours: 'applies', ...kind }))
}

/** @param unit its symbol, also at the end of its name @param usual its default; null: every rule has to say */
export function quantity(
  name: string,
  unit: string,
  [minimum, maximum]: readonly [number, number],
  usual: number | null,
  text: Pick<RuleParameter, 'label' | 'reason'>,
): RuleParameter {
  return { name, type: 'number', unit, minimum, maximum, default: usual, ...text }
}

/** Parameters that several kinds have. */

export const TOLERANCE_KMH = quantity('toleranceKmh', 'km/h', [0, 50], 3, {
  label: { en: 'Tolerance', de: 'Toleranz' },
  reason: {
    en: 'What German authorities deduct up to 100 km/h. It begins above limit and tolerance, and ends at the limit.',
    de: 'Der Abzug deutscher Behörden bis 100 km/h. Es beginnt über Limit und Toleranz und endet am Limit.',
  },
})

export const SPEEDING_FOR_S = quantity('forS', 's', [1, 3600], 10, {
  label: { en: 'For at least', de: 'Mindestens' },
  reason: {
    en: 'A single reading may be wrong, and overtaking takes a moment.',
    de: 'Ein einzelner Messwert kann falsch sein, und Überholen dauert einen Moment.',
  },
})

export const AREAS = {
  name: 'areas',
  type: 'areas',
  default: [],
  label: { en: 'Areas', de: 'Gebiete' },
  reason: {
    en: 'Without a choice, all areas of the account, later ones included.',
    de: 'Ohne Auswahl alle Gebiete des Kontos, auch spätere.',
  },
} as const satisfies RuleParameter

export const SHORTEST_STAY_MINUTES = quantity('shortestStayMinutes', 'min', [0, 1440], 2, {
  label: { en: 'Shortest stay', de: 'Kürzester Aufenthalt' },
  reason: {
    en: 'Longer than a red light and shorter than unloading. 0 counts cars that drive through, too.',
    de: 'Länger als eine rote Ampel und kürzer als Abladen. 0 zählt auch Durchfahrten.',
  },
})

export const VEHICLE_CLASS = {
  name: 'vehicleClass',
  type: 'enum',
  choices: [
    { value: 'CAR', label: { en: 'Car', de: 'Pkw' } },
    { value: 'VAN', label: { en: 'Van', de: 'Transporter' } },
    { value: 'TRUCK', label: { en: 'Truck', de: 'Lkw' } },
  ],
  default: 'CAR',
  label: { en: 'Vehicle class', de: 'Fahrzeugklasse' },
  reason: {
    en: 'Where speeds must show it: cars from 0.35 g (accelerating), 0.45 g (braking) and 0.5 g (cornering) as in Simons-Morton et al. 2012, trucks from half of what loads are secured against (EN 12195-1), vans between.',
    de: 'Wo Geschwindigkeiten es zeigen müssen: Pkw ab 0,35 g (Beschleunigen), 0,45 g (Bremsen) und 0,5 g (Kurven) nach Simons-Morton et al. 2012, Lkw ab der Hälfte dessen, wogegen Ladung gesichert wird (EN 12195-1), Transporter dazwischen.',
  },
} as const satisfies RuleParameter
