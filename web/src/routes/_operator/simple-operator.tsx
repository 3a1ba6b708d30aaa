import { createFileRoute } from "@tanstack/react-router";
import { UnknownPath } from "#/app/home";

export const Route = createFileRoute("/_operator/simple-operator")({ component: UnknownPath });
