import fc from 'fast-check'
import { IS_DEEP } from './deep.ts'

// The suite says of a commit the same each time: it passes or it does not. Deep runs look for inputs that nobody has tried.
if (!IS_DEEP) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
