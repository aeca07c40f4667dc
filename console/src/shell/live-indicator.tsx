import { Badge, Tooltip } from '@mantine/core'
import { useTexts } from '../language/language.ts'
import { useLiveState } from '../live/live-state.ts'
import { shellTexts } from './texts.ts'

const COLORS = { live: 'teal', connecting: 'gray', away: 'red' } as const

/** Whether what is shown follows the fleet at the moment. */
export function LiveIndicator() {
  const texts = useTexts(shellTexts)
  const state = useLiveState()
  return (
    <Tooltip label={state === 'away' ? texts.awayHint : texts.liveHint} multiline maw={280}>
      <Badge
        color={COLORS[state]}
        variant={state === 'live' ? 'light' : 'filled'}
        role="status"
        tt="none"
        miw="fit-content"
      >
        {texts[state]}
      </Badge>
    </Tooltip>
  )
}
