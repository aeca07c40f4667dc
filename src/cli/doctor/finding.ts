/** `look`: it works, but somebody should look at this. `broken`: Tacho does not start like this, or loses what it is for. */
export type Verdict = 'fine' | 'look' | 'broken'

/** What one check of `tacho doctor` found. */
export interface Finding {
  /** Name of the check, which stays the same from version to version. */
  readonly check: string
  readonly verdict: Verdict
  /** What is so, in one sentence. */
  readonly says: string
  /** What to do about it; nothing where it is fine. */
  readonly advice?: string
}

/** Judgements of one check. */
export const findingsOf = (check: string) => ({
  fine: (says: string): Finding => ({ check, verdict: 'fine', says }),
  look: (says: string, advice: string): Finding => ({ check, verdict: 'look', says, advice }),
  broken: (says: string, advice: string): Finding => ({ check, verdict: 'broken', says, advice }),
})
