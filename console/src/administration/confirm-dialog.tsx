import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTexts } from '../language/language.ts'
import { ErrorAlert } from '../states/error-alert.tsx'
import { Dialog } from './dialog.tsx'
import { administrationTexts } from './texts.ts'

interface ConfirmDialogProps {
  readonly title: string
  readonly hint: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something that can not be undone; errors are shown here. */
export function ConfirmDialog({ title, hint, action, onConfirm, onClose }: ConfirmDialogProps) {
  const texts = useTexts(administrationTexts)
  const confirmed = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <Text>{hint}</Text>
        <ErrorAlert error={confirmed.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button color="red" loading={confirmed.isPending} onClick={() => confirmed.mutate()}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
