import { FACTS } from '../../src/facts/facts.ts'
import { toyFact } from './fact.ts'

/** The one line that a fact of the product has in `src/facts/facts.ts`. */
FACTS.push(toyFact)
