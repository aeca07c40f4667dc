import { defineTexts } from '../../language/language.ts'

export const explanationTexts = defineTexts('explanation', {
  begin: 'Start',
  end: 'End',
  goesOn: 'It goes on.',
  mayGoOn: 'In a pause, or without measurements for a while; later measurements may continue it.',
  beginUnknown: 'What began it is no longer known.',
  endUnknown: 'What ended it is no longer known.',
  measuredThen: (count: number) => `What was measured then (${count})`,
  yes: 'yes',
  no: 'no',
  lasted: (duration: string) => `for ${duration}`,
  course: 'What happened',
  distance: 'How the distance was measured',
  counted: 'Used',
  range: (least: string, most: string) => `The true distance is between ${least} and ${most} (19 times out of 20).`,
  odometer: 'By the odometer',
  positions: 'By positions',
  difference: 'Difference',
  notMeasured: 'not measured',
  odometerJumps: (count: number) => `The odometer jumped or went backwards: ${count}×.`,
  relocations: (count: number) => `The car appeared elsewhere: ${count}×. The way there does not count.`,
  fixes: (positions: string, samples: string) =>
    `${positions} positions were used; something was measured at ${samples} instants.`,
  dropped: 'Positions not used:',
  rules: 'The values by which trips are told apart',
  rule: 'What it is for',
  value: 'Value',
})
export type ExplanationTexts = (typeof explanationTexts)['en']
