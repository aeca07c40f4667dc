import { Badge, VisuallyHidden } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ask } from '../api/request.ts'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'

/** More than so many are not counted. */
const MOST_COUNTED = 99

/** How many running ones nobody has acknowledged; more than `MOST_COUNTED` are one more than that. Refetched with the lists of incidents. */
const unseenCountQuery = queryOptions({
  queryKey: ['incidents', 'unseen'],
  queryFn: async ({ signal }): Promise<number> => {
    const query = { state: 'open' as const, isAcknowledged: false, maxResults: MOST_COUNTED + 1 }
    return (await ask('GET /cc/v2.0/incidents', { query, signal })).incidents.length
  },
})

/** How many running incidents nobody has acknowledged; nothing while there are none. */
export function UnseenIncidents() {
  const texts = useTexts('shell')
  const language = useLanguage()
  const mayReadIncidents = useMay('incidents')
  const { data: count = 0 } = useQuery({ ...unseenCountQuery, enabled: mayReadIncidents })
  if (count === 0) return null
  const text = count > MOST_COUNTED ? `${MOST_COUNTED}+` : formatNumber(count, language)
  return (
    <>
      <Badge color="red.9" size="md" circle={count < 10} aria-hidden>
        {text}
      </Badge>
      <VisuallyHidden>{texts.unseenIncidents(text)}</VisuallyHidden>
    </>
  )
}
