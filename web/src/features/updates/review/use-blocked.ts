import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { subscriptionQuery } from "#/api/subscription";

/** Why updates can't be decided: the subscription. While it is loading, the server decides. */
export function useBlocked(): string | undefined {
  const { t } = useTranslation();
  const { data } = useQuery(subscriptionQuery(useTransport()));
  const active = data?.subscription?.entitlements?.active ?? true;
  return active ? undefined : t("errors.subscriptionInactive");
}
