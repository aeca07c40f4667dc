import { Button } from '@mantine/core'
import { IconQuestionMark } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { shellTexts } from './texts.ts'

export function NotFoundPage() {
  const texts = useTexts(shellTexts)
  return (
    <EmptyState icon={IconQuestionMark} title={texts.pageNotFound} hint={texts.pageNotFoundHint}>
      <Button component={Link} to="/" variant="light" mt="sm">
        {texts.toMap}
      </Button>
    </EmptyState>
  )
}
