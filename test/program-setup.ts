import { buildProgram } from './serve-process.ts'

/** Before any file begins: two that compile at once would take the program away from one another. */
export default function setup(): void {
  buildProgram()
}
