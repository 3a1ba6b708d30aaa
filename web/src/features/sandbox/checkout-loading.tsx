import { useTranslation } from "react-i18next";
import { Skeleton } from "#/shared/ui/skeleton";
import { CheckoutFrame } from "./checkout-frame";

export function CheckoutLoading() {
  const { t } = useTranslation();
  return (
    <CheckoutFrame
      summary={
        <div role="status" className="space-y-4">
          <span className="sr-only">{t("common.loading")}</span>
          <Skeleton className="h-6 w-48" />
          <Skeleton className="h-10 w-56" />
          <Skeleton className="h-24 w-full" />
        </div>
      }
      payment={
        <div className="space-y-4">
          <Skeleton className="h-7 w-32" />
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-14 w-full" />
        </div>
      }
    />
  );
}
