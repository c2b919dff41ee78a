const x = `
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata:
  name: ${name}
spec:
  backend:
    serviceName: web
    servicePort: ${port}
`;
