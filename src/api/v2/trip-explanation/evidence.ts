import {
  DOUBTFUL_RECEIVER_WEIGHT,
  INVENTED_KMH,
  SLOW_RECEIVER_WEIGHT,
  WEIGHTS,
} from '../../../derive/trips/derive/evidence.ts'
import { type Testimony, type Witness } from '../../../derive/trips/derive/retrace.ts'
import { DISPLACEMENT_HOLDS_MS, UNMOVED_MS, WORD_FORGOTTEN_AFTER_DAYS } from '../../../derive/trips/derive/rules.ts'
import type { Language } from '../../language.ts'
import { type Evidence, WITNESS_WORDS } from './schema.ts'

import type { Texts } from './texts.ts'

const DAY_S = 86_400

/** A witness: its weight against the others, for how long its statement holds, and what it can state. */
interface WitnessRow {
  /** undefined for one that is not weighed against the others: a word decides before them, or after all of them. */
  readonly weight: number | undefined
  /** 0: only at that instant. undefined: until it states something else. */
  readonly freshS: number | undefined
  readonly texts: Texts
}

const ROWS: Readonly<Record<Witness, WitnessRow>> = {
  ignition: {
    weight: undefined,
    freshS: WORD_FORGOTTEN_AFTER_DAYS * DAY_S,
    texts: {
      en: 'Ignition on is a trip, off ends it, whatever others say. It does not count after an hour on without motion, until it is off again.',
      de: 'Zündung an ist eine Fahrt, aus beendet sie, was auch andere sagen. Sie gilt nicht mehr, wenn sie eine Stunde ohne Bewegung an war, bis sie wieder aus ist.',
    },
  },
  engine: {
    weight: undefined,
    freshS: WORD_FORGOTTEN_AFTER_DAYS * DAY_S,
    texts: {
      en: 'Where no ignition is told: a running engine is a trip. One that is off ends none while the car moves, for hybrids drive without it.',
      de: 'Wo keine Zündung gemeldet wird: ein laufender Motor ist eine Fahrt. Ist er aus, endet keine, solange sich das Fahrzeug bewegt, denn Hybride fahren auch ohne ihn.',
    },
  },
  carSpeed: {
    weight: WEIGHTS.carSpeed,
    freshS: 0,
    texts: {
      en: 'The speed of the car itself, above or below walking pace; a mean over more than a moment counts as motion from 2 km/h on. It no longer counts after half an hour of driving without one new position.',
      de: 'Die Geschwindigkeit, die das Fahrzeug selbst meldet: mehr oder weniger als Schritttempo; ein Mittelwert über mehr als einen Augenblick zählt ab 2 km/h als Bewegung. Sie gilt nicht mehr nach einer halben Stunde Fahrt ohne eine neue Position.',
    },
  },
  receiverSpeed: {
    weight: WEIGHTS.receiverSpeed,
    freshS: 0,
    texts: {
      en: `The speed by satellite, above or below walking pace. It counts only ${SLOW_RECEIVER_WEIGHT} from there to ${INVENTED_KMH} km/h, and ${DOUBTFUL_RECEIVER_WEIGHT} while the position is not believed.`,
      de: `Die Geschwindigkeit nach Satelliten: mehr oder weniger als Schritttempo. Sie zählt von da bis ${INVENTED_KMH} km/h nur ${SLOW_RECEIVER_WEIGHT}, und ${DOUBTFUL_RECEIVER_WEIGHT.toLocaleString('de')}, solange der Position nicht geglaubt wird.`,
    },
  },
  unmovedFix: {
    weight: WEIGHTS.unmovedFix,
    freshS: UNMOVED_MS / 1000,
    texts: {
      en: 'Positions that stayed around one place for a minute: the car stands. They never say that it drives.',
      de: 'Positionen, die eine Minute lang um einen Ort blieben: das Fahrzeug steht. Dass es fährt, sagen sie nie.',
    },
  },
  stillOdometer: {
    weight: WEIGHTS.stillOdometer,
    freshS: 0,
    texts: {
      en: 'An odometer that shows less than whole kilometres and has stood for five minutes: the car stands, whatever one speed alone says.',
      de: 'Ein Kilometerzähler, der mehr als ganze Kilometer zeigt und seit fünf Minuten steht: das Fahrzeug steht, was auch eine einzelne Geschwindigkeit sagt.',
    },
  },
  isMoving: {
    weight: WEIGHTS.isMoving,
    freshS: undefined,
    texts: {
      en: 'The motion sensor of the device (IS_MOVING). That it moves holds until the sensor says otherwise, or until a gap without data.',
      de: 'Der Bewegungssensor des Geräts (IS_MOVING). Dass es sich bewegt, gilt, bis er etwas anderes sagt oder Messwerte ausbleiben.',
    },
  },
  droveOn: {
    weight: undefined,
    freshS: DISPLACEMENT_HOLDS_MS / 1000,
    texts: {
      en: 'Positions or odometer that show that the car drove on since they last told. They decide where the others say nothing, or are even.',
      de: 'Positionen oder Kilometerzähler, die zeigen, dass das Fahrzeug seit ihrer letzten Angabe weiterfuhr. Sie entscheiden, wo die anderen nichts sagen oder sich aufheben.',
    },
  },
}

/** The witnesses, and what each stated when the start of the trip was detected. */
export function evidenceOf(testimony: Testimony, language: Language): Evidence[] {
  return (Object.keys(WITNESS_WORDS) as Witness[]).map(witness => {
    const { weight, freshS, texts } = ROWS[witness]
    const said = testimony.get(witness)
    return {
      witness: WITNESS_WORDS[witness],
      weight: weight ?? null,
      freshSeconds: freshS ?? null,
      description: texts[language],
      saidAtBegin: said === undefined ? null : said ? 'DRIVES' : 'STANDS',
    }
  })
}
