import { Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Dialog } from './dialog.tsx'
import { FormButtons } from './form-buttons.tsx'

interface ConfirmDialogProps {
  readonly title: string
  readonly hint: string
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before something that cannot be undone; errors are shown here. */
export function ConfirmDialog({ title, hint, action, onConfirm, onClose }: ConfirmDialogProps) {
  const confirmed = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack>
        <Text>{hint}</Text>
        <FormButtons
          error={confirmed.error}
          isPending={confirmed.isPending}
          onCancel={onClose}
          action={action}
          onAction={() => confirmed.mutate()}
          isDanger
        />
      </Stack>
    </Dialog>
  )
}
