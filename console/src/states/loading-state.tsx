import { Center, Loader, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../language/language.ts'
import { stateTexts } from './texts.ts'

export function LoadingState() {
  const texts = useTexts(stateTexts)
  return (
    <Center mih={160} role="status">
      <Loader type="dots" />
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
    </Center>
  )
}
