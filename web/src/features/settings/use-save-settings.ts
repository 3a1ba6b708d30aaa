import type { MessageInitShape } from "@bufbuild/protobuf";
import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  AccountsService,
  type UpdateCompanySettingsRequestSchema,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { sessionQuery } from "#/session/session";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";

export type SettingsChange = MessageInitShape<typeof UpdateCompanySettingsRequestSchema>;

/** Saves changed company settings; a change of name may ask for the password. */
export function useSaveSettings() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const save = useWrite(AccountsService.method.updateCompanySettings, {
    transport: useReauthTransport(),
    onSuccess: async () => {
      toast.success(t("operators.settings.done"), t("operators.settings.doneText"));
      // The session includes the company's name.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      // Awaited, so that a switch does not flip back before the new settings are loaded.
      await client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema: AccountsService, cardinality: undefined }),
      });
    },
    onError: (error) => {
      if (error instanceof ReauthCancelled) return;
      toast.failure(t("operators.settings.failed"), errorText(error));
    },
  });
  return { ...save, error: save.error instanceof ReauthCancelled ? null : save.error };
}
