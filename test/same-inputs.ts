import fc from 'fast-check'
import { deep, IS_DEEP } from './deep.ts'

// The suite says of a commit the same each time: it passes or it does not. Deep runs look for inputs that nobody has tried.
const inputs = IS_DEEP ? {} : { seed: 1 }
// What is searched without a number of its own.
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...inputs, numRuns: deep(50) })
