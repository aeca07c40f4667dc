import { Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../language/language.ts'

/** The lines that stand for what is loading all differ in length. */
const WIDTHS = ['45%', '90%', '75%', '85%', '60%'] as const

/** Stands where content will be, about as it will look. */
export function LoadingState() {
  const texts = useTexts('pageState')
  return (
    <Stack gap="md" mih={160} py="sm" role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {WIDTHS.map(width => (
        <Skeleton key={width} h={14} w={width} />
      ))}
    </Stack>
  )
}
