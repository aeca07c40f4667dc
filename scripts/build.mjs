// Compiles when the sources have changed; for tests that run the program as its users do.
import { build } from './prepare.mjs'

await build()
