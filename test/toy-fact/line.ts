import { FACTS } from '../../src/derive/facts.ts'
import { toyFact } from './fact.ts'

/** The one line that a fact of the product has in `src/derive/facts.ts`. */
FACTS.push(toyFact)
