import { createFileRoute } from "@tanstack/react-router";
import { Suspense } from "react";
import { PhonePeople } from "#/app/lazy-phone";
import { useEnter, useEnterByPin } from "#/app/use-enter";
import { operatorLoginSearch } from "#/features/auth/card-search";
import { OperatorLoginPage } from "#/features/auth/operator-login-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/employee-login")({
  validateSearch: operatorLoginSearch,
  staticData: { title: key("shell.titles.operatorLogin") },
  component: OperatorLoginRoute,
});

function OperatorLoginRoute() {
  const { operator = null } = Route.useSearch();
  return (
    <OperatorLoginPage
      key={operator}
      card={operator}
      onSignedIn={useEnter()}
      people={
        <Suspense>
          <PhonePeople onEnter={useEnterByPin()} />
        </Suspense>
      }
    />
  );
}
