import { Button, Group, Text } from '@mantine/core'
import type { notifications as Notices } from '@mantine/notifications'
import { textsIn } from '../language/language.ts'

/** How long one is read; who has to decide on an action gets longer. */
const SHOWN_MS = 5000
const SHOWN_WITH_ACTION_MS = 12_000

interface Toast {
  readonly message: string
  /** What can be done about it, such as taking it back. */
  readonly action?: { readonly label: string; readonly onAction: () => void }
}

/** The event of a toast: the place for them is made with the first. */
export const TOAST = 'tacho-toast'

/** Says at the edge of the screen that something was done, over whatever page is open, and goes away by itself. */
export function showToast(toast: Toast): void {
  dispatchEvent(new Event(TOAST))
  void import('@mantine/notifications').then(({ notifications }) => show(notifications, toast))
}

function show(notifications: typeof Notices, { message, action }: Toast): void {
  const act = () => {
    notifications.hide(id)
    action?.onAction()
  }
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text fz="sm">{message}</Text>
        {action && (
          <Button size="compact-sm" variant="light" onClick={act} style={{ flexShrink: 0 }}>
            {action.label}
          </Button>
        )}
      </Group>
    ),
    autoClose: action ? SHOWN_WITH_ACTION_MS : SHOWN_MS,
    withBorder: true,
    role: 'status',
    closeButtonProps: { 'aria-label': textsIn('dialog').close },
  })
}
