import { INVENTED_KMH, SLOW_RECEIVER_WEIGHT, WEIGHTS } from '../../../derive/trips/reading.ts'
import type { EvidenceSource, StatedEvidence } from '../../../derive/trips/retrace.ts'
import * as rules from '../../../derive/trips/rules.ts'
import type { Language } from '../../replies.ts'
import { type Evidence, type RuleInForce, SOURCE_WORDS } from './schema.ts'
import { RULE_TEXTS, SOURCE_TEXTS, type Texts } from './texts.ts'

/** Units by the end of a name, the longest first. */
const UNITS = [
  ['_M_PER_MS', 'm/ms'],
  ['_KMH', 'km/h'],
  ['_KM', 'km'],
  ['_DEG', '°'],
  ['_DAYS', 'd'],
  ['_PER_MILE', 'km/mi'],
  ['_MS', 'ms'],
  ['_M', 'm'],
] as const

const VALUES: Readonly<Record<keyof typeof rules, number>> = { ...rules }

/** Every parameter of the rules of trips, by its name in `src/derive/trips/rules.ts`; those of begin and end come first. */
export function rulesInForce(language: Language): RuleInForce[] {
  return (Object.keys(RULE_TEXTS) as (keyof typeof VALUES)[]).map(name => ({
    name,
    value: VALUES[name],
    unit: UNITS.find(([end]) => name.endsWith(end))?.[1] ?? '',
    description: RULE_TEXTS[name][language],
  }))
}

const DAY_S = 86_400

/** A source of evidence: its weight against the others, for how long its statement holds, and what it can state. */
interface SourceRow {
  /** undefined for one that is not weighed against the others: a word decides before them, or after all of them. */
  readonly weight: number | undefined
  /** 0: only at that instant. undefined: until it states something else. */
  readonly freshS: number | undefined
  readonly texts: Texts
}

const SOURCES: Readonly<Record<EvidenceSource, SourceRow>> = {
  ignition: { weight: undefined, freshS: rules.WORD_FORGOTTEN_AFTER_DAYS * DAY_S, texts: SOURCE_TEXTS.ignition },
  engine: { weight: undefined, freshS: rules.WORD_FORGOTTEN_AFTER_DAYS * DAY_S, texts: SOURCE_TEXTS.engine },
  carSpeed: { weight: WEIGHTS.carSpeed, freshS: 0, texts: SOURCE_TEXTS.carSpeed },
  receiverSpeed: {
    weight: WEIGHTS.receiverSpeed,
    freshS: 0,
    texts: {
      en: `The speed by satellite, above or below walking pace. It counts only ${SLOW_RECEIVER_WEIGHT} from there to ${INVENTED_KMH} km/h.`,
      de: `Die Geschwindigkeit nach Satelliten: mehr oder weniger als Schritttempo. Sie zählt von da bis ${INVENTED_KMH} km/h nur ${SLOW_RECEIVER_WEIGHT}.`,
    },
  },
  unmovedFix: { weight: WEIGHTS.unmovedFix, freshS: rules.UNMOVED_MS / 1000, texts: SOURCE_TEXTS.unmovedFix },
  stillOdometer: { weight: WEIGHTS.stillOdometer, freshS: 0, texts: SOURCE_TEXTS.stillOdometer },
  isMoving: { weight: WEIGHTS.isMoving, freshS: undefined, texts: SOURCE_TEXTS.isMoving },
  droveOn: { weight: undefined, freshS: rules.DISPLACEMENT_HOLDS_MS / 1000, texts: SOURCE_TEXTS.droveOn },
}

/** The sources of evidence, and what each stated when the start of the trip was detected. */
export function evidenceOf(stated: StatedEvidence, language: Language): Evidence[] {
  return (Object.keys(SOURCE_WORDS) as EvidenceSource[]).map(source => {
    const { weight, freshS, texts } = SOURCES[source]
    const said = stated.get(source)
    return {
      witness: SOURCE_WORDS[source],
      weight: weight ?? null,
      freshSeconds: freshS ?? null,
      description: texts[language],
      saidAtBegin: said === undefined ? null : said ? 'DRIVES' : 'STANDS',
    }
  })
}
