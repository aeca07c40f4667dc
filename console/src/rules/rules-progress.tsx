import { Alert } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { rulesProgressQuery } from './rules-query.ts'

/** How far changed rules are worked out for the past; nothing when there is nothing to do. */
export function RulesProgress() {
  const texts = useTexts('rules')
  const language = useLanguage()
  const { data } = useQuery(rulesProgressQuery)
  if (!data || data.isDone) return null
  const { devicesLeft } = data
  return (
    <Alert color="blue" role="status">
      {devicesLeft > 0 ? texts.progress(devicesLeft, formatNumber(devicesLeft, language)) : texts.progressBegins}
    </Alert>
  )
}
