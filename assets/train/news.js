// What has come of a training since, handed on to its views.

import { post } from "./stream.js";

export default function ({ data: [payload] }) {
  post(payload.mail, payload);
}
