import { createConnectQueryKey, createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { AccountsService, type SecondFactor } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { ReauthCancelled } from "#/session/reauth";
import { useReauthTransport } from "#/session/reauth-transport";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Notice } from "#/shared/ui/notice";
import { Switch } from "#/shared/ui/toggle";
import { SettingRow } from "./setting-row";

/** The signed-in person's second factor; undefined until it is loaded. */
export function useSecondFactor(enabled: boolean): SecondFactor | undefined {
  const transport = useTransport();
  const { getSecondFactor } = AccountsService.method;
  const query = useQuery({ ...createQueryOptions(getSecondFactor, {}, { transport }), enabled });
  return query.data?.secondFactor;
}

export function SecurityCard({ factor }: { factor: SecondFactor }) {
  const { t } = useTranslation();
  const own = factor.authenticatorSince !== undefined || factor.passkeys.length > 0;
  return (
    <Card id="security" title={t("second-factor.require.title")} flush>
      <div className="divide-y divide-line border-t border-line">
        <Required on={factor.required} own={own} />
      </div>
    </Card>
  );
}

/** Takes effect immediately; reverts after a refusal. */
function Required({ on, own }: { on: boolean; own: boolean }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const id = useId();
  const save = useSaveRequired();
  const shown = save.isPending ? save.variables.required : on;
  const refused = save.error instanceof ReauthCancelled ? null : save.error;
  // The owner needs a second factor before requiring it.
  const blocked = !own && !on;
  return (
    <SettingRow
      label={
        blocked ? (
          t("second-factor.require.require")
        ) : (
          <label htmlFor={id}>{t("second-factor.require.require")}</label>
        )
      }
      text={shown ? t("second-factor.require.requireOn") : t("second-factor.require.requireOff")}
      textId={`${id}-text`}
      control={
        blocked ? (
          <Button asChild>
            <Link to="/profile">{t("second-factor.require.setUpFirst")}</Link>
          </Button>
        ) : (
          <Switch
            id={id}
            aria-describedby={`${id}-text`}
            aria-busy={save.isPending || undefined}
            checked={shown}
            onChange={(event) => {
              if (!save.isPending) save.mutate({ required: event.target.checked });
            }}
          />
        )
      }
    >
      {blocked && <Notice>{t("second-factor.require.ownFirst")}</Notice>}
      {refused && <Notice tone="danger">{errorText(refused)}</Notice>}
    </SettingRow>
  );
}

function useSaveRequired() {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useWrite(AccountsService.method.setSecondFactorRequired, {
    transport: useReauthTransport(),
    onSuccess: (_, { required }) => {
      toast.success(
        required ? t("second-factor.require.nowOn") : t("second-factor.require.nowOff"),
      );
      const schema = AccountsService.method.getSecondFactor;
      return client.invalidateQueries({
        queryKey: createConnectQueryKey({ schema, cardinality: undefined }),
      });
    },
  });
}
