import { useMutation } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { sessionQuery, type User } from "#/session/session";
import { toast } from "#/shared/toast/store";

type Notice = User["notices"][number];

/** Puts a notice away at once; where the server can't be told, it comes back, and why is said. */
export function useDismissNotice(): (notice: Notice) => void {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const change = (step: (notices: Notice[]) => Notice[]) =>
    client.setQueryData(sessionQuery.queryKey, (user) =>
      user ? { ...user, notices: step(user.notices) } : user,
    );
  const { mutate } = useMutation(AccountsService.method.dismissNotice);
  return (notice) => {
    // An answer that is on its way would bring it back.
    void client.cancelQueries({ queryKey: sessionQuery.queryKey });
    change((notices) => notices.filter((each) => each.id !== notice.id));
    mutate(
      { id: notice.id },
      {
        onError: (error) => {
          change((notices) => [...notices.filter((each) => each.id !== notice.id), notice]);
          toast.failure(t("notices.dismissFailed"), errorText(error));
        },
      },
    );
  };
}
