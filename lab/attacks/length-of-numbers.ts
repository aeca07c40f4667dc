import type { Attack } from './attack.ts'

/** How often it is sent. */
const TIMES = { small: 1, full: 5 }

/** A long text that is almost a number: a careless regular expression reads it again from each of its digits. */
export const lengthOfNumbers: Attack = {
  name: 'length-of-numbers',
  clause: 'length of numbers',
  what: 'A phone reports an accuracy of 50,000 digits and a letter.',
  async run({ api, attacker }, size, signal) {
    const body = `id=${attacker.imeis[0]}&lat=48.1&lon=11.5&accuracy=${'1'.repeat(50_000)}x`
    const answers: string[] = []
    for (let time = 0; time < TIMES[size] && !signal.aborted; time++) {
      const startedMs = performance.now()
      const { status } = await api.send({
        path: '/ingest/osmand',
        method: 'POST',
        token: attacker.key,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
      answers.push(`${status} after ${Math.round(performance.now() - startedMs)} ms`)
    }
    return `answered ${answers.join(', ')}`
  },
}
