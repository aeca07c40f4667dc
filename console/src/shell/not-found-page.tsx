import { Button } from '@mantine/core'
import { IconQuestionMark } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'

export function NotFoundPage() {
  const texts = useTexts('shell')
  return (
    <EmptyState icon={IconQuestionMark} title={texts.pageNotFound} hint={texts.pageNotFoundHint}>
      <Button component={Link} to="/" variant="light" mt="sm">
        {texts.toMap}
      </Button>
    </EmptyState>
  )
}
