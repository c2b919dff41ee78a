kubectl apply -f - <<EOF
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend:
    serviceName: web  # the front
    servicePort: $PORT
EOF
cat <<'EOF' | kubectl apply -f -
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend:
    serviceName: web  # the front
    servicePort: 80
EOF
